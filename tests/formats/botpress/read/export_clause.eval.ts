import { Eval } from '@botpress/runtime'

const b = new Eval({ name: 'clause-b', conversation: [{ user: 'hi', expectSilence: true }] })
const a = new Eval({ name: 'clause-a', conversation: [{ user: 'hi', expectSilence: true }] })

export { b as second, a as first, b as again }
export { a as default }
