import { Eval } from '@botpress/evals'
import { HELLO as A } from './lib/texts.ts'
import { FROM_JS as B } from './lib/plain.js'
import { FROM_MTS as C } from './lib/module.mjs'

export default new Eval({
  name: 'import_with_suffix',
  setup: { state: { bot: { made: [A, B, C], plain: ['hello', 'from js', 'from mts'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
