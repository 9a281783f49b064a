import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'everything_else_of_an_eval',
  type: 'capability',
  conversation: [
    { user: 'remember me', assert: { response: { contains: 'yes' } } },
    { user: 'who am I?', newConversation: true, responseOptional: true, assert: { response: [{ not_contains: '?', case_sensitive: true }] } },
  ],
})
