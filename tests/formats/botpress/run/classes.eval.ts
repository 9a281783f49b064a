import { Eval } from '@botpress/evals'
class Counter {
  constructor(public value: number) {}
}

export default new Eval({
  name: 'classes',
  setup: { state: { bot: { made: new Counter(3).value, plain: 3 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
