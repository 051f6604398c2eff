// Second looks at a text cost time; a budget in characters keeps the whole of them linear in the reply.

/** Counts characters that second looks have read. */
export class WorkBudget {
  #left: number
  #spent = 0

  /** @param replyLength - length of the reply; small ones get enough for every look */
  constructor(replyLength: number) {
    this.#left = 200_000 + replyLength * 8
  }

  /** Characters spent so far. */
  get spent(): number {
    return this.#spent
  }

  /** True when `characters` more may be read; they are then spent. */
  spend(characters: number): boolean {
    if (characters > this.#left) return false
    this.#left -= characters
    this.#spent += characters
    return true
  }
}
