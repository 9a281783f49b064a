import { Eval } from '@botpress/evals'

const base = new Eval({ name: 'based-1', tags: ['base'], conversation: [{ user: 'hi', expectSilence: true }] })
export const one = base
export const two = new Eval({ ...base, name: 'based-2' })
export const three = { ...base, name: 'based-3', tags: [...base.tags, 'more'] }
