// How JSON and Python write names, quotes and escapes.

/** Whose rules count. */
export type Dialect = 'json' | 'python'

/** Names that stand for a value. */
export const WORDS: Readonly<Record<Dialect, ReadonlyMap<string, unknown>>> = {
  json: new Map<string, unknown>([
    ['true', true],
    ['false', false],
    ['null', null],
  ]),
  python: new Map<string, unknown>([
    ['True', true],
    ['False', false],
    ['None', null],
    ['true', true],
    ['false', false],
    ['null', null],
  ]),
}

/** What a letter after a backslash stands for. */
export const ESCAPES: Readonly<Record<Dialect, ReadonlyMap<string, string>>> = {
  json: new Map(
    Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }),
  ),
  python: new Map(
    Object.entries({
      '"': '"',
      "'": "'",
      '\\': '\\',
      '\n': '',
      a: '\x07',
      b: '\b',
      f: '\f',
      n: '\n',
      r: '\r',
      t: '\t',
      v: '\v',
    }),
  ),
}

/** Letters after a backslash that digits follow, and how many. */
export const HEX_DIGITS: Readonly<Record<Dialect, ReadonlyMap<string, number>>> = {
  json: new Map([['u', 4]]),
  python: new Map([
    ['x', 2],
    ['u', 4],
    ['U', 8],
  ]),
}
