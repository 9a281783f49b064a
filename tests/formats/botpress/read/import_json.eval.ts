import { Eval } from '@botpress/evals'
import data from './lib/data.json'

export default new Eval({
  name: 'import_json',
  setup: { state: { bot: { made: [data.words, data.deep.n, data], plain: [['a', 'b'], 1.5, { words: ['a', 'b'], deep: { n: 1.5, big: 12345678901234567000 }, 'odd-key': null }] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
