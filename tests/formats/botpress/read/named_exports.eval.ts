import { Eval } from '@botpress/adk'

export const zebra = new Eval({ name: 'zebra', conversation: [{ user: 'hi', expectSilence: true }] })
export const apple = new Eval({ name: 'apple', conversation: [{ user: 'hi', expectSilence: true }] }), mango = { name: 'mango', conversation: [{ user: 'hi', expectSilence: true }] }
export const fixture = { name: 'Ann', age: 3 }
export const LIMIT = 5
export default new Eval({ name: 'last', conversation: [{ user: 'hi', expectSilence: true }] })
