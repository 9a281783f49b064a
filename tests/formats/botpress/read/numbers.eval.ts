import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'numbers',
  setup: { state: { bot: { made: [1_000, 0xFF, 0b101, 0o17, .5, 5., 1e3, 1.5e-7, 0XaB_cD, 9007199254740993], plain: [1000, 255, 5, 15, 0.5, 5, 1000, 0.00000015, 43981, 9007199254740992] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
