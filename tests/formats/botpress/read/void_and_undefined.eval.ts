import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'void_and_undefined',
  setup: { state: { bot: { made: [void 0 ?? 'v', undefined === void 0, !undefined], plain: ['v', true, true] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
