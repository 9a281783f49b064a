import { Eval } from '@botpress/evals'

export const inner = new Eval({ name: 'inner', conversation: [{ user: 'hi', expectSilence: true }] })
export default new Eval({ name: 'inner-default', conversation: [{ user: 'hi', expectSilence: true }] })
