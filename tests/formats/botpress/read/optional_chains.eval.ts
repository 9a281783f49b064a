import { Eval } from '@botpress/evals'
const N = null as any
const O = { k: 'v' } as any

export default new Eval({
  name: 'optional_chains',
  setup: { state: { bot: { made: [N?.a ?? 'none', N?.a.b.c ?? 'short', O.missing ?? 'absent', O.missing?.x ?? 'gone', O?.['k']], plain: ['none', 'short', 'absent', 'gone', 'v'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
