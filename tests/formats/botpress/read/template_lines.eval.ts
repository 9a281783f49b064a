import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'template_lines',
  setup: { state: { bot: { made: `first
  second

  third\
 joined`, plain: 'first\n  second\n\n  third joined' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
