import { Eval } from '@botpress/evals'
const LIST = ['a', 'b'] as const

export default new Eval({
  name: 'as_const',
  setup: { state: { bot: { made: LIST, plain: ['a', 'b'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
