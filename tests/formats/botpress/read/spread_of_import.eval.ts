import { Eval } from '@botpress/evals'
import { MORE } from './lib/texts'

export default new Eval({
  name: 'spread_of_import',
  setup: { state: { bot: { made: { ...MORE, b: 'B' }, plain: { a: 'A', b: 'B' } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
