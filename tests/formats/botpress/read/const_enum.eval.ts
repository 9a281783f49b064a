import { Eval } from '@botpress/evals'
const enum Direction { Up = 'UP', Down = 1 }

export default new Eval({
  name: 'const_enum',
  setup: { state: { bot: { made: [Direction.Up, Direction.Down], plain: ['UP', 1] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
