// Drives a Botpress API with Botpress's own clients and writes down, as JSON, what they made of it.
const [modules, chatUrl, apiUrl, token, botId, encryptedUrl, encryptionKey] = process.argv.slice(2)
const { Client: Chat } = require(`${modules}/@botpress/chat`)
const { Client: Cloud } = require(`${modules}/@botpress/client`)

const told = {}
const failure = async (promise) => promise.then(() => 'no error').catch((error) => `${error.code}: ${error.message}`)

async function talk() {
  const user = await Chat.connect({ apiUrl: chatUrl })
  const { conversation } = await user.createConversation({})
  const listener = await user.listenConversation({ id: conversation.id })
  const heard = []
  listener.on('unknown', (data) => heard.push({ unknown: data }))
  const complete = new Promise((resolve) =>
    listener.on('message_created', (message) => {
      heard.push({ isBot: message.isBot, payload: message.payload })
      if (message.payload.text === 'goodbye') resolve()
    })
  )
  const pushed = new Promise((resolve) => listener.on('event_created', resolve))
  const { message } = await user.createMessage({
    conversationId: conversation.id,
    payload: { type: 'text', text: 'show everything' },
  })
  const { event } = await user.createEvent({ conversationId: conversation.id, payload: { kind: 'ping' } })
  await Promise.all([complete, pushed])
  await listener.disconnect()
  const listed = []
  for await (const one of user.list.messages({ conversationId: conversation.id })) listed.push(one.payload.type)
  const again = await Chat.connect({ apiUrl: chatUrl, userKey: user.user.key })
  Object.assign(told, {
    heard,
    message: message.payload,
    event: event.payload,
    pushed: (await pushed).payload,
    listed,
    resumed: again.user.id === user.user.id,
    refusedKey: await failure(Chat.connect({ apiUrl: chatUrl, userKey: 'not.a.key' })),
  })
}

async function encrypted() {
  const user = await Chat.connect({ apiUrl: encryptedUrl, encryptionKey, userId: 'ada' })
  told.encryptedUser = user.user.id
  told.refusedUser = await failure(Chat.connect({ apiUrl: encryptedUrl }))
}

async function cloud() {
  const client = new Cloud({ apiUrl, token, botId, workspaceId: 'space-1' })
  const state = { type: 'user', id: 'user-1', name: 'userState' }
  const payload = { value: { plan: 'pro' }, location: { type: 'state' } }
  told.noState = await failure(client.getState(state))
  told.madeState = (await client.getOrSetState({ ...state, payload })).state.payload
  told.setState = (await client.setState({ ...state, payload: { ...payload, value: { plan: 'free' } } })).state.payload
  told.gotState = (await client.getState(state)).state.payload
  const created = await client.createWorkflow({
    name: 'welcome', input: { n: 1 }, status: 'pending', conversationId: 'c-1', timeoutAt: new Date().toISOString(),
  })
  const { workflows } = await client.listWorkflows({ conversationId: 'c-1' })
  const { workflow } = await client.getWorkflow({ id: created.workflow.id })
  told.workflows = [created.workflow.status, workflows.map((one) => one.status), workflow.input]
  told.webhookId = Object.values((await client.getBot({ id: botId })).bot.integrations)[0].webhookId
  told.refusedToken = await failure(new Cloud({ apiUrl, token: 'wrong', botId }).getState(state))
}

Promise.all([talk(), encrypted(), cloud()])
  .then(() => console.log(JSON.stringify(told)))
  .then(() => process.exit(0))
  .catch((error) => {
    console.error(error)
    process.exit(1)
  })
