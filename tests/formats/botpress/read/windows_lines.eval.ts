import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'windows_lines',
  setup: { state: { bot: { made: `a
b`, plain: 'a\nb' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
