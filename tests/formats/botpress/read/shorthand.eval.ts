import { Eval } from '@botpress/evals'
const priority = 'high'
const department = 'HR'

export default new Eval({
  name: 'shorthand',
  setup: { state: { bot: { made: { priority, department }, plain: { priority: 'high', department: 'HR' } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
