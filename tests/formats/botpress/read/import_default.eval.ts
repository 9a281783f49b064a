import { Eval } from '@botpress/evals'
import texts, { MORE as more } from './lib/texts'

export default new Eval({
  name: 'import_default',
  setup: { state: { bot: { made: [texts, more.a], plain: [{ hello: 'hello' }, 'A'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
