import { Eval } from '@botpress/evals'
enum Level { Low, Middle, High = 5, Double = High * 2, After }

export default new Eval({
  name: 'numeric_enum',
  setup: { state: { bot: { made: [Level.Low, Level.Middle, Level.High, Level[5], Level.Double, Level.After], plain: [0, 1, 5, 'High', 10, 11] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
