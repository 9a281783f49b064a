import { Eval } from '@botpress/evals'

const first = new Eval({ name: 'list-1', conversation: [{ user: 'hi', expectSilence: true }] })

export default [first, { name: 'list-2', conversation: [{ user: 'hi', expectSilence: true }] }, new Eval({ name: 'list-3', conversation: [{ user: 'hi', expectSilence: true }] })]
