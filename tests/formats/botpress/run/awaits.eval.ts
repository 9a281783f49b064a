import { Eval } from '@botpress/evals'
const words = await Promise.resolve(['later'])

export default new Eval({
  name: 'awaits',
  setup: { state: { bot: { made: words, plain: ['later'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
