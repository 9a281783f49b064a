import { Eval } from '@botpress/evals'
const SEVEN = 7
enum Mixed { A = -1, B = 'b', C = SEVEN }
enum Other { X = `${Mixed.B}-x` }

export default new Eval({
  name: 'mixed_enum',
  setup: { state: { bot: { made: [Mixed.A, Mixed.B, Mixed.C, Other.X], plain: [-1, 'b', 7, 'b-x'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
