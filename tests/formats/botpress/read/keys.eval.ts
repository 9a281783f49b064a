import { Eval } from '@botpress/evals'
const KEY = 'dyn'

export default new Eval({
  name: 'keys',
  setup: { state: { bot: { made: { 'quoted-key': 1, "double": 2, 3: 'three', 1_000: 'k', [KEY]: 4, [`t${KEY}`]: 5, ['a' + 'b']: 6, [7]: 7, null: 8, if: 9, $d: 10, _u: 11 }, plain: { '3': 'three', '7': 7, '1000': 'k', 'quoted-key': 1, 'double': 2, 'dyn': 4, 'tdyn': 5, 'ab': 6, 'null': 8, 'if': 9, '$d': 10, '_u': 11 } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
