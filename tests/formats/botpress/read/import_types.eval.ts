import { Eval } from '@botpress/evals'
import type { Turn } from './lib/nowhere'
import { type State, HELLO } from './lib/texts'
import { OnlyAType } from './lib/types'
export type { Turn }
const turn: Turn | State | OnlyAType | undefined = undefined

export default new Eval({
  name: 'import_types',
  setup: { state: { bot: { made: 1, plain: 1 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
