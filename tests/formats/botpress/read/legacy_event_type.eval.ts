import { Eval } from '@botpress/runtime'

export default new Eval({
  name: 'legacy_event_type',
  conversation: [{ event: { type: 'order', payload: { id: 1 } }, expectSilence: true }],
})
