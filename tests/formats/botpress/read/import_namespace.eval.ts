import { Eval } from '@botpress/evals'
import * as T from './lib/texts'

export default new Eval({
  name: 'import_namespace',
  setup: { state: { bot: { made: [T.HELLO, T['BYE'], T.default.hello, T.MORE.a], plain: ['hello', 'bye', 'hello', 'A'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
