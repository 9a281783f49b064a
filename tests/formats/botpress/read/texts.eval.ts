import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'texts',
  setup: { state: { bot: { made: ['it\'s', "say \"hi\"", 'tab\tline\nend', 'a\
b'], plain: ["it's", 'say "hi"', "tab	line\nend", 'ab'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
