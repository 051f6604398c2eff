// Two sets of files → one unified diff in git's form, which `git apply` takes.
import { structuredPatch } from 'diff'

type Files = Readonly<Record<string, string>>

/** The diff from `before` to `after`, files in order of path; empty when nothing changed. */
export function unifiedDiff(before: Files, after: Files): string {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return paths.map((path) => fileDiff(path, before[path], after[path])).join('')
}

function fileDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return ''
  const { hunks } = structuredPatch(path, path, before ?? '', after ?? '', undefined, undefined, {
    context: 3,
  })
  const mode =
    before === undefined ? 'new file mode 100644\n' : after === undefined ? 'deleted file mode 100644\n' : ''
  const head = `diff --git a/${path} b/${path}\n${mode}`
  // An empty file that comes or goes has no hunk, and git wants no file lines then.
  if (hunks.length === 0) return head
  const names = `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ ${after === undefined ? '/dev/null' : `b/${path}`}\n`
  const body = hunks.map((hunk) => {
    const range = (start: number, lines: number): string =>
      lines === 1 ? `${start}` : `${lines === 0 ? start - 1 : start},${lines}`
    return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@\n${hunk.lines.join('\n')}\n`
  })
  return head + names + body.join('')
}
