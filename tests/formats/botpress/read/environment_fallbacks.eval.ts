import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'environment_fallbacks',
  setup: { state: { bot: { made: [process.env.NO_SUCH_NAME ?? 'lit', process.env['NO_SUCH_NAME'] ?? 3, process.env.NO_SUCH_NAME || 'or', process.env.NO_SUCH_NAME ?? process.env.NONE_EITHER ?? 'second', (process.env.NO_SUCH_NAME as string) ?? 'cast', `${process.env.NO_SUCH_NAME ?? 'in'}`], plain: ['lit', 3, 'or', 'second', 'cast', 'in'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
