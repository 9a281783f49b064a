import { Eval } from '@botpress/evals'
import { words } from './lib/data.json'

export default new Eval({
  name: 'import_json_named',
  setup: { state: { bot: { made: words, plain: ['a', 'b'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
