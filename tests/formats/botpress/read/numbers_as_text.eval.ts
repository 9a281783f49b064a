import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'numbers_as_text',
  setup: { state: { bot: { made: ['' + 1, '' + 0.1, '' + 1e21, '' + 1e-7, '' + 123456789012345680000, '' + -1.50, '' + 100.0, `${1 / 3}`], plain: ['1', '0.1', '1e+21', '1e-7', '123456789012345680000', '-1.5', '100', '0.3333333333333333'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
