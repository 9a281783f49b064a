import { Eval } from '@botpress/evals'
enum Department { Sales = 'sales', 'Human-Resources' = 'hr' }

export default new Eval({
  name: 'string_enum',
  setup: { state: { bot: { made: [Department.Sales, Department['Human-Resources'], `${Department.Sales}!`, { [Department.Sales]: 1 }], plain: ['sales', 'hr', 'sales!', { sales: 1 }] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
