import { Eval } from '@botpress/evals'

const TICKET = /TKT-\d{3}/i

export default new Eval({
  name: 'patterns',
  conversation: [
    {
      user: 'open a ticket',
      assert: {
        response: [
          { matches: TICKET },
          { matches: /^a\/b[/]c$/ },
          { matches: /^line$/m },
          { matches: /a.b/s },
          { matches: /x/gims },
          { matches: /\p{L}+/u },
          { matches: 'TKT-\\d{3}' },
        ],
        tools: [{ called: 'createTicket', params: { subject: { matches: /urgent|high/i } } }],
      },
    },
  ],
})
