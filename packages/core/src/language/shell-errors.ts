// What bash complains about, line by line.
import type { ReportedError, ReportReader } from './reported.js'

const COMPLAINT = /^(.+?): line (\d+): (.+)$/u
const SYNTAX = /^syntax error\b|^unexpected (?:EOF|end of file)\b/u
/** After a syntax error bash shows the line itself. */
const SOURCE = /^`.*'$/u

/** Reads bash's own complaints; what the commands of a script say is told with how it ended. */
export const readShellErrors: ReportReader = (text, outcome) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const errors: ReportedError[] = []
  let isLast = false
  for (const line of lines) {
    const [, file = '', number = '0', message = ''] = COMPLAINT.exec(line) ?? []
    isLast = message !== ''
    if (!isLast || SOURCE.test(message)) continue
    const kind = SYNTAX.test(message) ? 'syntax' : 'exception'
    errors.push({ kind, message, place: { file, line: Number(number) } })
  }
  const syntax = errors.find(({ kind }) => kind === 'syntax')
  if (syntax !== undefined) return { errors: [syntax], explains: true }
  // The last one is why it ended, when nothing was said after it; those before it were survived.
  return { errors: errors.reverse(), explains: isLast && outcome.kind === 'exit' }
}
