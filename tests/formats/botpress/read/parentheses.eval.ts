import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'parentheses',
  setup: { state: { bot: { made: ((({ a: ((1)) }))), plain: { a: 1 } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
