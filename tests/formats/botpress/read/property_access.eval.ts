import { Eval } from '@botpress/evals'
const KEY = 'hello'
const T = { greeting: { hello: 'hi', bye: 'bye' }, list: ['a', 'b'] } as const

export default new Eval({
  name: 'property_access',
  setup: { state: { bot: { made: [T.greeting.hello, T['greeting']['bye'], T.list[1], T.list.length, T.greeting[KEY], 'abc'.length, 'abc'[1], T.list['0'], T?.greeting?.hello, (T as any).list[0]], plain: ['hi', 'bye', 'b', 2, 'hi', 3, 'b', 'a', 'hi', 'a'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
