// Colours, when they are wanted.

/** Paints text for a terminal, or leaves it as it is. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

/** @param colour - false: every function gives its text back unchanged */
export function createStyle(colour: boolean): Style {
  const paint =
    (on: number, off: number) =>
    (text: string): string =>
      colour && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  }
}

/** FORCE_COLOR decides, then NO_COLOR (no-color.org: any value that is not empty), then whether a terminal is there. */
export function coloursWanted(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (env['NO_COLOR']) return false
  return isTerminal && env['TERM'] !== 'dumb'
}
