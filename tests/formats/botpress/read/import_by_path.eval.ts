import { Eval } from '@botpress/evals'
import { HELLO } from '@lib/texts'
import { HELLO as EXACT } from 'exactly'
import { HELLO as BASE } from 'lib/texts'

export default new Eval({
  name: 'import_by_path',
  setup: { state: { bot: { made: [HELLO, EXACT, BASE], plain: ['hello', 'hello', 'hello'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
