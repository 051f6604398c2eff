// Tool calls out of the pieces of a stream, whose index or id may be missing, repeated or counted from one.
import type { ToolCall } from '@mendloop/core'
import { isRecord, parseJson, textOf } from './json.js'

interface Draft {
  id: string
  index: number | undefined
  name: string
  arguments: string
}

/** Puts tool calls together. A piece goes to the call that its id names, else its index, else to the one last written. */
export class ToolCallAssembler {
  readonly #drafts: Draft[] = []
  #last: Draft | undefined

  /** Takes one entry of `tool_calls`, of a stream or of a whole message. */
  push(piece: unknown): void {
    if (!isRecord(piece)) return
    const body = isRecord(piece['function']) ? piece['function'] : {}
    const id = textOf(piece['id'])
    const index = typeof piece['index'] === 'number' ? piece['index'] : undefined
    const name = textOf(body['name'])
    // Some servers give the arguments as an object instead of as its text.
    const args = isRecord(body['arguments']) ? JSON.stringify(body['arguments']) : textOf(body['arguments'])
    const draft = this.#find(id, index, name, args) ?? this.#open(id, index)
    // Some servers send a finished call once more.
    if (id !== '' && args !== '' && draft.arguments === args && isWhole(draft)) return
    if (draft.id === '') draft.id = id
    if (draft.name === '') draft.name = name
    draft.arguments += args
    this.#last = draft
  }

  /**
   * The calls in the order in which they began. A piece without a name is no call and is left out.
   *
   * @returns ids as the server gave them; made up where it gave none or gave one twice
   */
  finish(): ToolCall[] {
    const taken = new Set<string>()
    return this.#drafts
      .filter(({ name }) => name !== '')
      .map(({ id, name, arguments: args }, position) => {
        let unique = id === '' ? `call_${position + 1}` : id
        while (taken.has(unique)) unique += `_${position + 1}`
        taken.add(unique)
        return { id: unique, name, arguments: args }
      })
  }

  #find(id: string, index: number | undefined, name: string, args: string): Draft | undefined {
    const atIndex = index === undefined ? undefined : this.#drafts.findLast((draft) => draft.index === index)
    if (id !== '') {
      // The latest first: an id that a server repeats for another call belongs to the newer one.
      const known = this.#drafts.findLast((draft) => draft.id === id)
      if (known !== undefined) return isAnother(known, index, name, args) ? undefined : known
      // Every call has a name, so an id that is new on a piece without one came late, or changes with every piece.
      if (name === '' && atIndex !== undefined) return atIndex
      return name === '' && index === undefined && !isWhole(this.#last) ? this.#last : undefined
    }
    const known = atIndex ?? (index === undefined || name === '' ? this.#last : undefined)
    return known !== undefined && startsAnew(known, name) ? undefined : known
  }

  #open(id: string, index: number | undefined): Draft {
    const draft: Draft = { id, index, name: '', arguments: '' }
    this.#drafts.push(draft)
    return draft
  }
}

/** True when a piece under a known id is a call of its own: it has a name again, and another index or new arguments. */
function isAnother(known: Draft, index: number | undefined, name: string, args: string): boolean {
  if (name === '') return false
  if (index !== undefined && known.index !== undefined && known.index !== index) return true
  return args !== '' && args !== known.arguments && isWhole(known)
}

/** True when a piece without an id opens a call: it has a name, and the call before has its arguments or another name. */
const startsAnew = (known: Draft, name: string): boolean =>
  name !== '' && known.name !== '' && (name !== known.name || isWhole(known))

const isWhole = (draft: Draft | undefined): boolean =>
  draft !== undefined && parseJson(draft.arguments) !== undefined
