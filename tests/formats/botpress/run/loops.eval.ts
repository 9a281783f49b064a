import { Eval } from '@botpress/evals'

const words = ['zebra', 'apple']
const evals: Eval[] = []
for (const word of words) evals.push(new Eval({ name: `loop-${word}`, conversation: [{ user: 'hi', expectSilence: true }] }))
export const zulu = new Eval({ name: ['loop', 'zulu'].join('-'), conversation: [{ user: 'hi', expectSilence: true }] })
export const alpha = evals
export default new Eval({ name: 'loop-last', conversation: [{ user: 'hi', expectSilence: true }] })
