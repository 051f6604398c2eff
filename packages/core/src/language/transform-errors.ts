// The errors of the bundler that turns TypeScript into JavaScript on the host.
import type { ReportedError, ReportReader } from './reported.js'

const DIAGNOSTIC = /^(?:(.+?):(\d+):(\d+): )?error: (.*)$/u

/** Reads errors as `errorText` of transform-typescript.ts writes them; all of them are errors of syntax. */
export const readTransformErrors: ReportReader = (text) => {
  const errors = text.split('\n').flatMap((line): readonly ReportedError[] => {
    const match = DIAGNOSTIC.exec(line)
    if (match === null) return []
    const [, file, row, column, message = ''] = match
    const place = file === undefined ? undefined : { file, line: Number(row), column: Number(column) }
    return [{ kind: 'syntax', message, ...(place !== undefined && { place }) }]
  })
  return { errors, explains: true }
}
