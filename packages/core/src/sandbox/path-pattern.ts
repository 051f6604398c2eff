// Patterns of workspace paths, as `.gitignore` has them, as far as they are needed to name files to keep.

const SPECIAL = /[.+^${}()|[\]\\]/g

/**
 * What a pattern matches. `*` stands for any characters but a slash, `**` for any, `?` for one. A pattern without a slash
 * before its end matches a name at any depth, and whatever is below it: `conftest.py`, `tests/`, `docs/*.md`, `a/**`.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  const trimmed = pattern.replace(/^\.?\//u, '').replace(/\/+$/u, '')
  const isAnchored = trimmed.includes('/')
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
