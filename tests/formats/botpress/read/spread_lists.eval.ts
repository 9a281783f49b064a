import { Eval } from '@botpress/evals'
const A = ['a', 'b'] as const
const B = ['d']

export default new Eval({
  name: 'spread_lists',
  setup: { state: { bot: { made: [...A, 'c', ...B, ...[], ...A], plain: ['a', 'b', 'c', 'd', 'a', 'b'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
