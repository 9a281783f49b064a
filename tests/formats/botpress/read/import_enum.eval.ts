import { Eval } from '@botpress/evals'
import { Level, Colour } from './lib/enums'

export default new Eval({
  name: 'import_enum',
  setup: { state: { bot: { made: [Level.Low, Level.High, Colour.Red], plain: [1, 2, 'red'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
