import { Eval } from '@botpress/evals'
const A = 'a'
let B = 2
var C = 'c'
const D = [A, B]

export default new Eval({
  name: 'constants',
  setup: { state: { bot: { made: [A, B, C, D], plain: ['a', 2, 'c', ['a', 2]] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
