import { Eval } from '@botpress/evals'
console.log('printed')
process.stdout.write('more')
setInterval(() => {}, 1000)
const timer = setTimeout(() => {}, 60_000)

export default new Eval({
  name: 'noise',
  setup: { state: { bot: { made: 1, plain: 1 } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
