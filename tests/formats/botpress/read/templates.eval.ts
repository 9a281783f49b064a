import { Eval } from '@botpress/evals'
const NAME = 'Ann'

export default new Eval({
  name: 'templates',
  setup: { state: { bot: { made: [`plain`, `a ${NAME} b`, `${1}${true}${null}`, `line
one\ttwo`, `${`inner ${NAME}`}`, `\`\${x}`], plain: ['plain', 'a Ann b', '1truenull', 'line\none\ttwo', 'inner Ann', '`${x}'] } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
