import { Eval } from '@botpress/evals'
import { greet, type Greeting } from '@lib/helpers'
import { HELLO, State } from '../read/lib/texts.js'

const unused: Greeting | State = 'x'

export default new Eval({
  name: 'helpers',
  setup: { state: { bot: { made: [greet('Ann'), HELLO], plain: ['Hello Ann', 'hello'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
