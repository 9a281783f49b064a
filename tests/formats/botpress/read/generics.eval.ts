import { Eval } from '@botpress/evals'
interface Box<T> { value: T }
type Boxes<T extends string = 'x'> = Array<Box<T>>
const LIST: Array<number> = <Array<number>>[1]
declare const outside: Boxes

export default new Eval({
  name: 'generics',
  setup: { state: { bot: { made: LIST, plain: [1] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
