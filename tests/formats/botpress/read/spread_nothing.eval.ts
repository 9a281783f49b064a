import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'spread_nothing',
  setup: { state: { bot: { made: { a: 1, ...(false && { b: 2 }), ...undefined, ...null, ...(true && { c: 3 }), ...0 }, plain: { a: 1, c: 3 } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
