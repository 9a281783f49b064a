import { Eval } from '@botpress/evals'
const A = { x: 1, y: 2 }
const B = { y: 3, z: 4 }

export default new Eval({
  name: 'spread_objects',
  setup: { state: { bot: { made: { x: 0, ...A, ...B, z: 9, ...{ w: 1 } }, plain: { x: 1, y: 3, z: 9, w: 1 } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
