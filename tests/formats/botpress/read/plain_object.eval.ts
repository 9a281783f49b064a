export default { name: 'plain_object', conversation: [{ user: 'hi', expectSilence: true }] }
