import { Eval } from '@botpress/evals'
const more = await import('./lib/helpers')

export default new Eval({
  name: 'dynamic_imports',
  setup: { state: { bot: { made: more.greet('Bob'), plain: 'Hello Bob' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
