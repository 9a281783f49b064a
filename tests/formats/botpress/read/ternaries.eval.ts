import { Eval } from '@botpress/evals'
const STRICT = true
const LEVEL = 4

export default new Eval({
  name: 'ternaries',
  setup: { state: { bot: { made: [STRICT ? 'yes' : 'no', STRICT && LEVEL > 3 ? 'high' : 'low', LEVEL === 2 ? 1 : LEVEL === 4 ? 2 : 3], plain: ['yes', 'high', 2] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
