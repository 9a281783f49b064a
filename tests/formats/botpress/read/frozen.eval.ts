import { Eval } from '@botpress/evals'
const LIST = Object.freeze([Object.freeze({ a: 1 }), { b: 2 }] as const)

export default new Eval({
  name: 'frozen',
  setup: { state: { bot: { made: LIST, plain: [{ a: 1 }, { b: 2 }] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
