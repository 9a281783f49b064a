import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'booleans_and_null',
  setup: { state: { bot: { made: [true, false, null, { a: null }], plain: [true, false, null, { a: null }] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
