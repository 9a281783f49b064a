import { Eval } from '@botpress/evals'
declare function call(): number

export default new Eval({
  name: 'unchosen_branches',
  setup: { state: { bot: { made: [true ? 1 : call(), false && call(), 'x' || call(), 1 ?? call()], plain: [1, false, 'x', 1] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
