import { Eval } from '@botpress/evals'
import data from '../read/lib/data.json' with { type: 'json' }

export default new Eval({
  name: 'json',
  setup: { state: { bot: { made: Object.keys(data).length + data.words.length, plain: 5 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
