import { Eval } from '@botpress/evals'
type Params = { priority: string }
const PARAMS = { priority: 'high' } satisfies Params as Params

export default new Eval({
  name: 'satisfies',
  setup: { state: { bot: { made: PARAMS, plain: { priority: 'high' } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
