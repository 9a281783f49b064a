import type { EvalDefinition } from '@botpress/evals'

export default { name: 'plain_object_satisfies', conversation: [{ user: 'hi', expectSilence: true }] } satisfies EvalDefinition
