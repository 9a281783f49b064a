import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'module_javascript',
  setup: { state: { bot: { made: `${1 + 1}`, plain: '2' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
