import { Eval } from '@botpress/evals'
import { HELLO, other, ns, Level } from './lib/reexports'

export default new Eval({
  name: 'import_reexported',
  setup: { state: { bot: { made: [HELLO, other, ns.BYE, Level.High], plain: ['hello', 'bye', 'bye', 2] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
