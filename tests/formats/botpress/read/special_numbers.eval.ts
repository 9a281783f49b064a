import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'special_numbers',
  setup: { state: { bot: { made: [Infinity > 5, NaN === NaN, -Infinity < 0], plain: [true, false, true] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
