import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'non_latin',
  setup: { state: { bot: { made: { 'ключ': 'значение', 名前: '東京', عربي: 'مرحبا', emoji: '👩‍👩‍👧' }, plain: { "ключ": "значение", "名前": "東京", "عربي": "مرحبا", "emoji": "👩‍👩‍👧" } } } },
  conversation: [{ user: 'hi', expectSilence: true }],
})
