// Patterns of workspace paths, as `.gitignore` has them, as far as they are needed to name files to keep.

const SPECIAL = /[.+^${}()|[\]\\]/g

/**
 * What a pattern matches. `*` stands for any characters but a slash, `**` for any, `?` for one; all others for themselves.
 * A pattern without a slash before its end matches a name at any depth, and whatever is below it: `conftest.py`,
 * `tests/`, `docs/*.md`, `a/**`, `/only-at-the-top.txt`.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  const trimmed = trimmedOf(pattern)
  const isAnchored = trimmed.includes('/') || pattern.startsWith('/')
  const body = trimmed
    .split(/(\*\*\/?|\*|\?)/u)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?'
      if (part === '**') return '.*'
      if (part === '*') return '[^/]*'
      return part === '?' ? '[^/]' : part.replace(SPECIAL, '\\$&')
    })
    .join('')
  const expression = new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${body}(?:/.*)?$`, 'su')
  return (path) => expression.test(path)
}

/** Some path that a pattern with a slash matches. */
export const sampleOf = (pattern: string): string => trimmedOf(pattern).replaceAll(/\*+|\?/gu, 'x')

const trimmedOf = (pattern: string): string => pattern.replace(/^\.?\//u, '').replace(/\/+$/u, '')
