// What can end a test besides its own assertions, and values as failures show them.
import { inspect } from 'node:util'

/** The program's process is gone, or spoke nonsense: the fault is told once, at the end. */
export class Lost extends Error {
  name = 'Lost'
}
/** The tests ask for what cannot be done, whatever the program. */
export class Misuse extends TypeError {}
/** A comparison that the program itself would decide. */
export class Undecided extends TypeError {
  name = 'TypeError'
}
/** What the tests import and is not there. */
export class NotThere extends Error {
  constructor(message, { kind, absent }) {
    super(message)
    this.kind = kind
    this.absent = absent
  }
}
/** Carries what the program threw past the judge's own faults. */
export class Thrown {
  constructor(value) {
    this.value = value
  }
}
/** On an error that is no failure. */
export const SILENT = Symbol('silent')

const SHOWN = { depth: 4, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 30, maxStringLength: 300 }

/** A value as a failure shows it. */
export function shown(value) {
  try {
    return inspect(value, SHOWN)
  } catch {
    return '[object]'
  }
}
