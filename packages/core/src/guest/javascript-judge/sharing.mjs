// Containers that both sides hold, which stay alike: what changed on one side is told to the other.
import { emptyOf, shapeOf } from './shapes.mjs'
import { Broken } from './wire.mjs'

/** How many, and how much in them. The oldest are let go of first. */
const MOST_SHARED = 100
const MOST_CHARS = 100_000
const MOST_FORMER = 4096
const { stringify } = JSON

/** The containers, by number. */
export class Sharing {
  /** Number → value, kind, age, and the shape that the other side knows. */
  #shared = new Map()
  #ids = new WeakMap()
  /** Let go of, but the other side may be naming them at this moment. */
  #former = new Map()
  /** Counts messages: what came in one is let go of together. */
  #generation = 0

  /** A message begins. */
  begin() {
    this.#generation++
  }

  idOf(value) {
    return this.#ids.get(value)
  }

  entry(id) {
    return this.#shared.get(id) ?? this.#former.get(id)
  }

  add(id, value, kind) {
    const entry = { value, kind, text: undefined, generation: this.#generation }
    this.#shared.set(id, entry)
    this.#ids.set(value, id)
    return entry
  }

  /** The container of a number, made for its shape where it is new. @throws Broken */
  met(id, shape, decode) {
    const known = this.entry(id)
    if (known === undefined) return this.add(id, emptyOf(shape, decode), shape[0])
    if (known.kind !== shape[0]) throw new Broken('a container of another kind')
    return known
  }

  /** Shapes of all that changed and all that is new. */
  changes(ref) {
    const changes = []
    // What is found on the way is added behind, and its turn comes.
    for (const [id, entry] of this.#shared) {
      const shape = shapeOf(entry.value, entry.kind, ref)
      const text = stringify(shape)
      if (text !== entry.text) changes.push(['c', id, shape])
      entry.text = text
    }
    return changes
  }

  /** The other side need not be told what it has just said. */
  agreed(entries, ref) {
    for (const entry of entries) entry.text = stringify(shapeOf(entry.value, entry.kind, ref))
  }

  /** What is passed again is young again, with all that came with it. */
  used(id) {
    const used = this.#shared.get(id)
    if (used === undefined || used.generation === this.#generation) return
    const { generation } = used
    for (const entry of this.#shared.values())
      if (entry.generation === generation) entry.generation = this.#generation
  }

  /** Lets go of the oldest; the other side is to forget them too. */
  outdated() {
    const ages = [...this.#shared].sort(([, one], [, other]) => other.generation - one.generation)
    // What came with the last question and its answer may be in use.
    const recent = this.#generation - 2
    let chars = 0
    const last = ages.find(([, { text, generation }], index) => {
      chars += text?.length ?? 0
      return generation < recent && (index >= MOST_SHARED || chars > MOST_CHARS)
    })
    if (last === undefined) return []
    const outdated = ages.flatMap(([id, { generation }]) => (generation <= last[1].generation ? [id] : []))
    this.forget(outdated)
    return outdated
  }

  forget(ids) {
    for (const id of ids) {
      const entry = this.#shared.get(id)
      if (entry === undefined) continue
      this.#shared.delete(id)
      this.#ids.delete(entry.value)
      this.#former.set(id, entry)
    }
    for (const id of this.#former.keys()) {
      if (this.#former.size <= MOST_FORMER) break
      this.#former.delete(id)
    }
  }
}
