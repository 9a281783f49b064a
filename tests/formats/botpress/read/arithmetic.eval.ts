import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'arithmetic',
  setup: { state: { bot: { made: [2 + 3, 7 - 10, 6 * 7, 7 / 2, -7 % 3, 2 ** 10, 60 * 1000, (1 + 2) * 3, 2 ** 3 ** 2, 0.1 + 0.2], plain: [5, -3, 42, 3.5, -1, 1024, 60000, 9, 512, 0.30000000000000004] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
