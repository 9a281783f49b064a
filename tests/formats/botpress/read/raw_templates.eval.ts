import { Eval } from '@botpress/evals'
const WORD = 'open'

export default new Eval({
  name: 'raw_templates',
  setup: { state: { bot: { made: String.raw`TKT-\d{3} ${WORD}\n`, plain: 'TKT-\\d{3} open\\n' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
