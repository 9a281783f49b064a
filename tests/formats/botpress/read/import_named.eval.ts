import { Eval } from '@botpress/evals'
import { HELLO, BYE as renamed, LIST } from './lib/texts'

export default new Eval({
  name: 'import_named',
  setup: { state: { bot: { made: [HELLO, renamed, LIST], plain: ['hello', 'bye', ['x', 'y']] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
