import { Eval } from '@botpress/evals'

const theEval = new Eval({ name: 'identifier', conversation: [{ user: 'hi', expectSilence: true }] })
export default theEval
