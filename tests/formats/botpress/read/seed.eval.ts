// Every example of the Botpress eval format page; the YAML beside this folder says the same.
import { Eval } from '@botpress/evals'

const silence = { user: 'Please ignore this.', expectSilence: true }
const userId = 'test-user-1'

export const fullStructure = new Eval({
  name: 'full-structure', // unique identifier (required)
  description: 'What this tests', // optional
  type: 'regression',
  tags: ['tools', 'multi-turn'],
  setup: {
    // nothing to put in place
  },
  conversation: [{ user: 'message from user', assert: {} }, silence],
  outcome: {
    /* nothing yet */
  },
  options: {},
})

export const userMessage = new Eval({
  name: 'user-message',
  conversation: [{ user: 'What is my account balance?', assert: { response: [{ contains: 'balance' }] } }],
})

export const eventTrigger = new Eval({
  name: 'event-trigger',
  conversation: [
    {
      event: { payload: { orderId: 'ORD-001', total: 49.99 } },
      assert: { workflow: [{ name: 'orderConfirmation', entered: true }] },
    },
  ],
})

export const expectSilence = new Eval({
  name: 'expect-silence',
  conversation: [silence, { event: { payload: { kind: 'ping' } }, expectSilence: true }],
})

export const response = new Eval({
  name: 'response',
  conversation: [
    {
      user: 'Open a ticket',
      assert: {
        response: [
          { contains: 'ticket' },
          { not_contains: 'error' },
          { matches: 'TKT-\\d{3}' },
          { llm_judge: 'Response confirms ' + 'the ticket was created' },
        ],
      },
    },
  ],
})

export const tools = new Eval({
  name: 'tools',
  conversation: [
    {
      user: 'Open a ticket',
      assert: {
        tools: [
          { called: 'createTicket' },
          { called: 'createTicket', params: { priority: { equals: 'high' }, department: { contains: 'Engineering' } } },
          { not_called: 'deleteTicket' },
          { call_order: ['lookupUser', 'createTicket'] },
        ],
      },
    },
  ],
})

export const state = new Eval({
  name: 'state',
  conversation: [
    {
      user: 'I need support',
      assert: {
        state: [
          { path: 'conversation.topic', equals: 'support' },
          { path: 'conversation.topic', changed: true },
          { path: 'bot.ticketCount', equals: 3 },
        ],
      },
    },
  ],
})

export const workflow = new Eval({
  name: 'workflow',
  conversation: [
    {
      user: 'Onboard me',
      assert: {
        workflow: [
          { name: 'onboarding', entered: true },
          { name: 'onboarding', completed: true },
        ],
      },
    },
  ],
})

export const timing = new Eval({
  name: 'timing',
  conversation: [
    { user: 'Hello', assert: { timing: [{ response_time: { lte: 5_000 } }, { response_time: { gte: 100 } }] } },
  ],
})

export const matchOperators = new Eval({
  name: 'match-operators',
  conversation: [
    {
      user: 'Do everything',
      assert: {
        tools: [
          {
            called: 'createTicket',
            params: {
              a: { equals: 'urgent' },
              b: { contains: 'HR' },
              c: { not_contains: 'test' },
              d: { matches: /\d+/ },
              e: { in: ['high', 'urgent'] },
              f: { exists: true },
              g: { gte: 100 },
              h: { lte: 5000 },
            },
          },
        ],
      },
    },
  ],
})

export const seedState = new Eval({
  name: 'seed-state',
  setup: {
    state: {
      bot: { welcomeMessageSent: true },
      user: { plan: 'pro' },
      conversation: { topic: 'billing' },
    },
  },
  conversation: [{ user: 'Hi', assert: { state: [{ path: 'conversation.topic', changed: false }] } }],
})

export const triggerWorkflow = new Eval({
  name: 'trigger-workflow',
  setup: { workflow: { trigger: 'onboarding', input: { userId } } },
  conversation: [],
  outcome: { workflow: [{ name: 'onboarding', entered: true }] },
})

export const bothCombined = new Eval({
  name: 'both-combined',
  setup: {
    state: {
      bot: { sleepDurationMs: 3000 }, // 3 seconds instead of 10 minutes
    },
    workflow: { trigger: 'reminderFlow', input: { userId } },
  },
  conversation: [{ user: 'Thanks', expectSilence: true }],
})

export const outcome = new Eval({
  name: 'outcome',
  conversation: [{ user: 'Solve my problem' }],
  outcome: {
    state: [{ path: 'conversation.resolved', equals: true }],
    workflow: [{ name: 'ticketFlow', completed: true }],
  },
})

export const options = new Eval({
  name: 'options',
  conversation: [{ user: 'hello', expectSilence: true }],
  options: {
    idleTimeout: 60000,
    judgePassThreshold: 4,
  },
})

export const commonMistakesCorrected = new Eval({
  name: 'common-mistakes-corrected',
  conversation: [
    { user: 'hello', expectSilence: true },
    { user: 'hello', assert: { response: [{ contains: 'hi' }] } },
    { event: { payload: { amount: 50 } } },
  ],
})
