import { Eval } from '@botpress/evals'
import { INDEX, HELLO } from './lib'

export default new Eval({
  name: 'import_index',
  setup: { state: { bot: { made: [INDEX, HELLO], plain: ['index', 'hello'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
