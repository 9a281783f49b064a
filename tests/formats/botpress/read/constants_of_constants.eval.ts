import { Eval } from '@botpress/evals'
const LEAF = { c: 'deep' }
const MIDDLE = { b: LEAF }
const ALL = { a: MIDDLE, again: LEAF }

export default new Eval({
  name: 'constants_of_constants',
  setup: { state: { bot: { made: ALL, plain: { a: { b: { c: 'deep' } }, again: { c: 'deep' } } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
