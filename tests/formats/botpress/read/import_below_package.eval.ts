import { Eval } from '@botpress/evals'
import { PACKAGED } from './packaged/inner/uses'

export default new Eval({
  name: 'import_below_package',
  setup: { state: { bot: { made: PACKAGED, plain: 'by a path of an extended tsconfig' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
