import { Eval } from '@botpress/evals'
namespace Words {
  export const HELLO = 'hello'
}

export default new Eval({
  name: 'namespaces',
  setup: { state: { bot: { made: Words.HELLO, plain: 'hello' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
