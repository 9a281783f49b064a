import { Eval } from '@botpress/evals'
const { a, ...rest } = { a: 1, b: 2 }
const [first = 'none'] = ['x']

export default new Eval({
  name: 'destructuring',
  setup: { state: { bot: { made: [a, rest, first], plain: [1, { b: 2 }, 'x'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
