import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'logic',
  setup: { state: { bot: { made: [null ?? 'a', undefined ?? 'b', 0 ?? 1, '' || 'c', 0 || 'd', 'e' && 'f', '' && 'g', !true, !'', !!'x', null || undefined || 'h', [] && 'i'], plain: ['a', 'b', 0, 'c', 'd', 'f', '', false, true, true, 'h', 'i'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
