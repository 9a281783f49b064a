import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'environment',
  setup: { state: { bot: { made: [Object.keys(process.env).length, String(process.env.PATH ?? 'none')], plain: [0, 'none'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
