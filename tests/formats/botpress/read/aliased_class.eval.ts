import { Eval as E } from '@botpress/evals'

export default new E({
  name: 'aliased_class',
  setup: { state: { bot: { made: 1, plain: 1 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
