import { Eval } from '@botpress/evals'

class Smoke extends Eval {
  constructor(name: string) {
    super({ name, tags: ['smoke'], conversation: [{ user: 'hi', expectSilence: true }] })
  }
}

class Own {
  name = 'own-class'
  conversation = [{ user: 'hi', expectSilence: true }]
}

export const one = new Smoke('sub-class')
export const two = new Own()
