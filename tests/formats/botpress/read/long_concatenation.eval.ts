import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'long_concatenation',
  setup: { state: { bot: { made: 'one ' + 'two ' + 'three ' + 'four ' + 'five ' + 'six ' + 'seven ' + 'eight ' + 'nine ' + 'ten ' + 'one ' + 'two ' + 'three ' + 'four ' + 'five ' + 'six ' + 'seven ' + 'eight ' + 'nine ' + 'ten ' + 'one ' + 'two ' + 'three ' + 'four ' + 'five ' + 'six ' + 'seven ' + 'eight ' + 'nine ' + 'ten ' + 'one ' + 'two ' + 'three ' + 'four ' + 'five ' + 'six ' + 'seven ' + 'eight ' + 'nine ' + 'ten ' + 'one ' + 'two ' + 'three ' + 'four ' + 'five ' + 'six ' + 'seven ' + 'eight ' + 'nine ' + 'ten ' + 'one ' + 'two ' + 'three ' + 'four ' + 'five ' + 'six ' + 'seven ' + 'eight ' + 'nine ' + 'ten ', plain: 'one two three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten one two three four five six seven eight nine ten ' } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
