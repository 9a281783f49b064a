import { Eval } from '@botpress/evals'

export const one = new Eval({ name: 'items-1', conversation: [{ user: 'hi', expectSilence: true }] })
export const two = new Eval({ name: 'items-2', conversation: [{ user: 'hi', expectSilence: true }] })
export const all = [two, one] as const
export default all
