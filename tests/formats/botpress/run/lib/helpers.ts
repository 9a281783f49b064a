import { HELLO, type State } from '../../read/lib/texts'

export type Greeting = string
export interface Nothing {}
export const greet = (name: string): Greeting => `${HELLO[0]!.toUpperCase()}${HELLO.slice(1)} ${name}`
