import { Eval } from '@botpress/evals'
/* a */ const /* b */ X /* c */ = /* d */ 1 // e
// export default new Eval({ name: 'commented' })

export default new Eval({
  name: 'comments',
  setup: { state: { bot: { made: [/* one */ 1, // two
 2, /* three */
 /** four */ { /* in */ a /* key */ : /* value */ 3, // end
 }, ], plain: [1, 2, { a: 3 }] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
