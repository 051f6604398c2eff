// The cells of a case of kind `session`, with what each expects.
import type { CellOptions, Limits } from '@mendloop/core'
import type { Fields } from './bug-case.js'
import {
  asFilledList,
  asFilledText,
  asNumber,
  asObject,
  asObjectOf,
  asText,
  NotUnderstood,
} from './expectation.js'
import { asLanguage } from './language-names.js'
import { type RunOptions, runOptions } from './names.js'

/** One cell. */
export interface Cell {
  /** What messages call it. */
  readonly name: string
  readonly code: string
  readonly options: CellOptions
  readonly expect: Fields
}

/** A session and its cells. */
export interface SessionScript {
  readonly language: string
  /** How long each cell may take that does not say, in milliseconds; undefined: the product's own. */
  readonly cellMs: number | undefined
  readonly limits: Partial<Limits>
  readonly env: Record<string, string>
  readonly cells: readonly Cell[]
}

/** Reads the input of the case and the content of its file: a list of cells, or an object with `cells`. */
export function readScript(input: Fields, content: unknown): SessionScript {
  const script = Array.isArray(content)
    ? { cells: content }
    : asObjectOf(content, ['cells', 'language', 'options', 'note'])
  const options = { ...asObject(script['options'] ?? {}), ...asObject(input['options'] ?? {}) }
  const { timeoutMs, ...others } = options
  const { limits, env, args, stdin, killGraceMs } = runOptions(others)
  if (args.length > 0 || stdin !== undefined || killGraceMs !== undefined)
    throw new NotUnderstood('a session has no arguments, no input and no time of grace of its own')
  const read = asFilledList(script['cells']).map(readCell)
  return {
    language: asLanguage(input['language'] ?? script['language'] ?? 'python'),
    cellMs: timeoutMs === undefined ? undefined : asNumber(timeoutMs),
    limits: { ...limits, ...leastOutput(read.map(({ limits: of }) => of)) },
    env,
    cells: read.map(({ cell }) => cell),
  }
}

function readCell(value: unknown, index: number): { cell: Cell; limits: RunOptions['limits'] } {
  const {
    id,
    code,
    options = {},
    expect = {},
  } = asObjectOf(value, ['id', 'code', 'options', 'expect', 'note'])
  const { timeoutMs, ...others } = asObject(options)
  const { limits } = runOptions(others)
  const odd = Object.keys(others).find(
    (key) => Object.keys(runOptions({ [key]: others[key] }).limits)[0] !== 'outputBytes',
  )
  if (odd !== undefined) throw new NotUnderstood(`the option "${odd}" of a cell is not known`)
  const { note: _, ...rest } = asObject(expect)
  const cell = {
    name: id === undefined ? `cell ${index + 1}` : `cell ${index + 1} (${asFilledText(id)})`,
    code: asText(code),
    options: timeoutMs === undefined ? {} : { timeoutMs: asNumber(timeoutMs) },
    expect: rest,
  }
  return { cell, limits }
}

/** How much is kept of an output is a matter of the session: the least that a cell asks for holds for all. */
function leastOutput(limits: readonly Partial<Limits>[]): Partial<Limits> {
  const asked = limits.flatMap(({ outputBytes }) => (outputBytes === undefined ? [] : [outputBytes]))
  return asked.length === 0 ? {} : { outputBytes: Math.min(...asked) }
}
