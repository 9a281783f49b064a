import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'escapes',
  setup: { state: { bot: { made: '\u0041\x42\u{43}\u{1F600}\uD83D\uDE00\v\f\b\0', plain: "ABC😀😀\u000b\u000c\u0008\u0000" } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
