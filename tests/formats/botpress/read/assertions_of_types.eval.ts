import { Eval } from '@botpress/evals'
const TEXT: string | undefined = 't'

export default new Eval({
  name: 'assertions_of_types',
  setup: { state: { bot: { made: [<string>TEXT, TEXT as unknown as number, TEXT!, (TEXT)!, ((TEXT as any) satisfies string)], plain: ['t', 't', 't', 't', 't'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
