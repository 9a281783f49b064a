import { Eval } from '@botpress/evals'
const agent = process.env.AGENT
const later = () => fetch('x')
function helper() { return Date.now() }
class Thing { run() { return helper() } }
let unset: string

export default new Eval({
  name: 'unused_constants',
  setup: { state: { bot: { made: 1, plain: 1 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
