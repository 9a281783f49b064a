import { Eval } from '@botpress/evals'

const word = 'TKT'
export default new Eval({
  name: 'built_patterns',
  conversation: [{ user: 'hi', assert: { response: [{ matches: new RegExp(`${word}-\\d+`, 'im') }] } }],
})
