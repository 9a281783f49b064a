import { Eval } from '@botpress/evals'
const COUNT = 3

export default new Eval({
  name: 'concatenation',
  setup: { state: { bot: { made: 'The answer ' + 'must say ' + COUNT + ' times: ' + true + null, plain: 'The answer must say 3 times: truenull' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
