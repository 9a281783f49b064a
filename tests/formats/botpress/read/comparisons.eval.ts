import { Eval } from '@botpress/evals'
const X = { a: 1 }

export default new Eval({
  name: 'comparisons',
  setup: { state: { bot: { made: [1 < 2, 2 <= 2, 'a' < 'b', 'B' > 'a', 1 === 1, 'a' !== 'b', 1 == 1, null == undefined, null === undefined, true === true, '1' === 1, 3 >= 4, 'é' > 'z', X === X], plain: [true, true, true, false, true, true, true, true, false, true, false, false, true, true] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
