// Whether an undefined name of a script may be there after all when it is wanted.
import { posix } from 'node:path'
import { maskStrings } from '../../language/parses.js'

const MODULE = /^[ \t]*(?:import\b(?![ \t]*\()|export\b)|['"]use strict['"]/mu
const NAME = '([\\p{ID_Start}$_][\\p{ID_Continue}$]*)'
const ASKED_ABOUT = new RegExp(`\\btypeof[ \\t(]{1,8}${NAME}`, 'gu')
const GLOBAL = new RegExp(`\\b(?:globalThis|global|self|window)\\.${NAME}[ \\t]{0,8}=(?!=)`, 'gu')
const ASSIGNED = new RegExp(`(?<![\\p{ID_Continue}$.])${NAME}[ \\t]{0,8}=(?![=>])`, 'gu')

interface Read {
  readonly text: string
  /** Asked about with `typeof`, or put on the global object. */
  readonly made: ReadonlySet<string>
  /** Assigned to; outside of a module that makes a name. */
  readonly assigned: ReadonlySet<string>
  readonly isModule: boolean
}

/** The last text, since one text is asked about several times in a row. */
let remembered: Read | undefined

/**
 * True for a name that the program asks about with `typeof`, puts on the global object, or, outside of a module, makes by
 * assigning to it.
 */
export function mayExist(name: string, path: string, text: string): boolean {
  const { made, assigned, isModule } = read(text)
  if (made.has(name)) return true
  return !isModule && !/^\.(?:mjs|[cm]?tsx?)$/u.test(posix.extname(path)) && assigned.has(name)
}

function read(text: string): Read {
  if (remembered?.text === text) return remembered
  const code = maskStrings(text)
  const names = (pattern: RegExp): string[] => [...code.matchAll(pattern)].map(([, name = '']) => name)
  remembered = {
    text,
    made: new Set([...names(ASKED_ABOUT), ...names(GLOBAL)]),
    assigned: new Set(names(ASSIGNED)),
    isModule: MODULE.test(text),
  }
  return remembered
}
