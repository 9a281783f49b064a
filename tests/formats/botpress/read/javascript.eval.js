import { Eval } from '@botpress/evals'
const unused = /* js */ 1

export default new Eval({
  name: 'javascript',
  setup: { state: { bot: { made: [1, 'two'], plain: [1, 'two'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
