import { Eval } from '@botpress/evals'
const X = 'x' as const

export default new Eval({
  name: 'module_typescript',
  setup: { state: { bot: { made: X, plain: 'x' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
