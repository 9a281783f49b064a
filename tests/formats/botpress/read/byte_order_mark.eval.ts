import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'byte_order_mark',
  setup: { state: { bot: { made: 'x', plain: 'x' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
