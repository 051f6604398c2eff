// Every recorded reply through extraction alone: nothing throws, and a program that the log saw pass is taken as it is.
import { type Extraction, extractCandidate } from '@mendloop/core'
import type { Conversation } from './conversations.js'
import { compare, LOGS, nameOf, newTally, type ReplaySet, type Tally, wantedIn } from './replay-set.js'

export const extract: ReplaySet = {
  name: 'extract',
  rarer: 1,
  async replay(request) {
    const tally = newTally()
    for (const log of LOGS) {
      const counts = new Map<string, number>()
      for (const conversation of wantedIn(log, request)) extractAll(conversation, tally, counts)
      if (counts.size > 0) tally.notes.push(`${log}: ${countsText(counts)}`)
    }
    return tally
  },
}

function extractAll(conversation: Conversation, tally: Tally, counts: Map<string, number>): void {
  const { turns, replies, language } = conversation
  for (const [index, turn] of turns.entries()) {
    if (turn.same_as_previous) continue
    const reply = replies[index] ?? ''
    const found = tried(() => extractCandidate(reply, { language }))
    const kind = typeof found === 'string' ? 'threw' : found.status === 'ok' ? 'ok' : found.reason
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const subject = `${nameOf(conversation)} turn ${turn.turn}`
    if (typeof found === 'string') tally.differences.push(`${subject} throws: ${found}`)
    const program = turn.form === 'code' ? reply : turn.extracted
    if (turn.final === 'pass' && program !== undefined && typeof found !== 'string')
      compare(tally, `${subject}, program`, codeOf(found), program.trim())
    else if (typeof found !== 'string') tally.agreed++
  }
}

const codeOf = (found: Extraction): string => (found.status === 'ok' ? found.code.trim() : found.reason)

/** What comes of it, or the message of what it throws. */
export function tried<T>(action: () => T): T | string {
  try {
    return action()
  } catch (error) {
    return String(error)
  }
}

const countsText = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')
