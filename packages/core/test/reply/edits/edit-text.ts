// Renders edits the way replies state them, for the tests of this room.
import { type AppliedEdits, applyEdits } from '../../../src/reply/edits/apply-edits.js'
import type { EditReason } from '../../../src/reply/edits/edit.js'
import { extractEdits } from '../../../src/reply/edits/extract-edits.js'

type Files = Readonly<Record<string, string>>

/** A search/replace block; each text is whole lines, or nothing. */
export function block(search: string, replace: string, size = 7): string {
  const part = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  return `${'<'.repeat(size)} SEARCH\n${part(search)}${'='.repeat(size)}\n${part(replace)}${'>'.repeat(size)} REPLACE\n`
}

/** Blocks in a fence with a path. */
export const edited = (path: string, ...blocks: readonly string[]): string =>
  `${path}\n\`\`\`\n${blocks.join('')}\`\`\`\n`

/** What becomes of `files`: the first problem counts, of extraction or of application. */
export function apply(files: Files, reply: string): AppliedEdits & { readonly reason?: EditReason } {
  const { edits, problems, warnings } = extractEdits(reply, { files })
  const applied = applyEdits(files, edits)
  const all = [...problems, ...(applied.status === 'failed' ? applied.problems : [])]
  const [first] = all
  if (first !== undefined) {
    const failure =
      applied.status === 'failed'
        ? applied.failure
        : { kind: 'edit' as const, message: first.message, fingerprint: '' }
    return { status: 'failed', files, problems: all, failure, reason: first.reason }
  }
  return applied.status === 'applied' ? { ...applied, warnings: [...warnings, ...applied.warnings] } : applied
}

/** The files afterwards, or the reason why they are as before. */
export function outcome(files: Files, reply: string): Files | EditReason {
  const applied = apply(files, reply)
  return applied.reason ?? applied.files
}
