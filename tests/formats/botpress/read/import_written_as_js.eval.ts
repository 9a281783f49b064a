import { Eval } from '@botpress/evals'
import { HELLO } from './lib/texts.js'

export default new Eval({
  name: 'import_written_as_js',
  setup: { state: { bot: { made: HELLO, plain: 'hello' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
