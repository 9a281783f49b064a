import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'nested',
  setup: { state: { bot: { made: { a: [{ b: [{ c: [[[1]]] }] }] }, plain: { a: [{ b: [{ c: [[[1]]] }] }] } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
