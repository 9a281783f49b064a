import type { OnlyAType } from './types'

export type State = 'a' | 'b'
export const HELLO = 'hello'
export const BYE: OnlyAType = 'bye'
export const LIST = ['x', 'y'] as const
export const MORE = { a: 'A' }
export default { hello: HELLO }
