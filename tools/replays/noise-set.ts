// Every recorded reply with noise round it, and broken: the program stays the same, and nothing throws.
import { type Extraction, extractCandidate } from '@mendloop/core'
import { tried } from './extract-set.js'
import { HARMLESS, HOSTILE, type Random, randomFrom } from './noise.js'
import { compare, LOGS, nameOf, newTally, type ReplaySet, type Tally, wantedIn } from './replay-set.js'

/** Changes of each kind that one reply is tried with; the next reply has others. */
const CHANGES_A_REPLY = 2

export const noise: ReplaySet = {
  name: 'noise',
  rarer: 3,
  async replay(request) {
    const tally = newTally()
    const random = randomFrom(1)
    for (const log of LOGS)
      for (const conversation of wantedIn(log, request)) {
        const { language, turns, replies } = conversation
        for (const [index, reply] of replies.entries())
          if (!turns[index]?.same_as_previous && reply.trim() !== '')
            disturb(tally, `${nameOf(conversation)} turn ${index + 1}`, reply, language, random)
      }
    return tally
  },
}

function disturb(tally: Tally, subject: string, reply: string, language: string, random: Random): void {
  const whole = resultOf(extractCandidate(reply, { language }))
  for (const [name, change] of drawn(HARMLESS, random)) {
    const found = tried(() => resultOf(extractCandidate(change(reply, random), { language })))
    compare(tally, `${subject} with ${name}, program`, found, whole)
  }
  for (const [name, change] of drawn(HOSTILE, random)) {
    const text = change(reply, random)
    const finish = random() < 0.5 ? 'stop' : 'length'
    const found = tried(() => extractCandidate({ text, finish }, { language }))
    if (typeof found === 'string') tally.differences.push(`${subject} with ${name} throws: ${found}`)
    else tally.agreed++
  }
}

const resultOf = (found: Extraction): string =>
  found.status === 'ok' ? JSON.stringify(found.candidate.files) : found.reason

function drawn<T>(from: Readonly<Record<string, T>>, random: Random): (readonly [string, T])[] {
  const all = Object.entries(from)
  const first = Math.floor(random() * all.length)
  return [...all.slice(first), ...all.slice(0, first)].slice(0, CHANGES_A_REPLY)
}
