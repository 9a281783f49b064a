import { Eval } from '@botpress/evals'
enum Flag {
  A = 1 << 0,
  B = 1 << 1,
}

export default new Eval({
  name: 'bit_flags',
  setup: { state: { bot: { made: [Flag.A | Flag.B, Flag.B], plain: [3, 2] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
