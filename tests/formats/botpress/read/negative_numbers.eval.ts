import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'negative_numbers',
  setup: { state: { bot: { made: [-1, +2, -0.5, - 3, -0, -(4)], plain: [-1, 2, -0.5, -3, 0, -4] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
