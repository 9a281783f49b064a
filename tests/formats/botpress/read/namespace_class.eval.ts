import * as botpress from '@botpress/evals'

export default new botpress.Eval({ name: 'namespace_class', conversation: [{ user: 'hi', expectSilence: true }] })
