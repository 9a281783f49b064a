import { Eval } from '@botpress/evals'
import { join } from 'node:path/posix'

export default new Eval({
  name: 'builtins',
  setup: { state: { bot: { made: [join('a', 'b'), Math.max(1, 2), [...'ab']], plain: ['a/b', 2, ['a', 'b']] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
