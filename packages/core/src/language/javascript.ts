// JavaScript on Node: how to run it and how to read its failures.
import { asArgument } from './build-folder.js'
import type { Language, LanguageTool } from './language.js'
import { readNodeErrors } from './node-errors.js'
import { maskStrings } from './parses.js'
import { diagnoseReport } from './reported.js'

/** Node itself. */
export const NODE: LanguageTool = {
  name: 'node',
  probe: ['node', '--version'],
  remedy: 'a package of https://nodejs.org, or apt-get install nodejs',
}

/** Node that is given an empty file. */
export const IDLE_NODE: readonly string[] = ['node']

/** Of the memory limit; the rest is for code, buffers and the interpreter itself. */
const HEAP_SHARE = 0.6
const SMALLEST_HEAP_MIB = 32

/** Flags with which a program stays within its memory and shows where it failed. */
export function nodeFlags(memoryBytes: number): readonly string[] {
  const heapMib = Math.max(SMALLEST_HEAP_MIB, Math.floor((memoryBytes * HEAP_SHARE) / 1024 / 1024))
  // Ten frames, the default, are soon filled with those of libraries.
  return [`--max-old-space-size=${heapMib}`, '--stack-trace-limit=50']
}

/** A path that Node takes neither for an option nor, as `inspect`, for an order to start its debugger. */
export const asNodeArgument = (path: string): string =>
  /^(?:inspect|debug)$/u.test(path) ? `./${path}` : asArgument(path)

/** JavaScript, as modules or CommonJS, on the sandbox's Node. */
export const javascript: Language = {
  id: 'javascript',
  entry: 'solution.mjs',
  entryOf: (text) => (isCommonJs(text) ? 'solution.cjs' : undefined),
  tools: [NODE],
  idle: IDLE_NODE,
  recipe: ({ entry }, { memoryBytes }) => ({
    run: { argv: ['node', ...nodeFlags(memoryBytes), asNodeArgument(entry)] },
  }),
  diagnose: (execution, candidate) => diagnoseReport(readNodeErrors, execution, candidate),
}

const COMMONJS = /\brequire\s*\(|\bmodule\.exports\b|^\s*exports\.\w+\s*=/mu
const MODULE = /^\s*(?:import\b(?!\s*\()|export\b)|\bimport\.meta\b|^(?:const|let|var|for)?[^\n{]*\bawait\b/mu

/** True for a text that uses what only CommonJS has, and nothing that only modules have. */
function isCommonJs(text: string): boolean {
  const code = maskStrings(text)
  return COMMONJS.test(code) && !MODULE.test(code)
}
