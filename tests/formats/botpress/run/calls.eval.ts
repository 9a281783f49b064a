import { Eval } from '@botpress/evals'
const double = (n: number): number => n * 2

export default new Eval({
  name: 'calls',
  setup: { state: { bot: { made: ['a', 'b'].map((word) => word.toUpperCase()).concat(double(2)), plain: ['A', 'B', 4] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
