import { Eval } from '@botpress/evals'
const A = 1;;
;const B = 2;
'use strict';

export default new Eval({
  name: 'semicolons',
  setup: { state: { bot: { made: 1, plain: 1 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
