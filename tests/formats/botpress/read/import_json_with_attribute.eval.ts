import { Eval } from '@botpress/evals'
import data from './lib/data.json' with { type: 'json' }

export default new Eval({
  name: 'import_json_with_attribute',
  setup: { state: { bot: { made: data.words, plain: ['a', 'b'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
