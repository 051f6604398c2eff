// A program without what does not change what it does: comments, layout, names of local variables. By it a loop knows
// that it has seen a program before; where that is not certain, programs count as different.
import { createHash } from 'node:crypto'
import { normalisedPython } from './normalised-python.js'
import { normalisedText, type TextSyntax, withoutEnds } from './normalised-text.js'

/** Languages whose comments are those of C, with what else begins a text. */
const SCRIPT: TextSyntax = { quotes: `"'`, template: true, hasPatterns: true }
const LIKE_C: Readonly<Record<string, TextSyntax>> = {
  javascript: SCRIPT,
  typescript: SCRIPT,
  c: { quotes: `"'` },
  cpp: { quotes: `"'` },
  java: { quotes: `"'`, hasTextBlocks: true },
  go: { quotes: `"'`, hasRaw: true },
}

/**
 * Names a program by what it does, as far as its text tells.
 *
 * Comments, blank space and, in Python, the names of local variables make no difference. Names that others may use (of
 * functions, classes, parameters, modules) and all that is in strings do.
 *
 * @param files - the program, by path
 * @returns equal for equal programs, on every machine
 */
export function codeFingerprint(language: string, files: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256')
  for (const path of Object.keys(files).sort())
    hash.update(`${path}\0${normalised(language, path, files[path] ?? '')}\0`)
  return hash.digest('hex').slice(0, 16)
}

function normalised(language: string, path: string, text: string): string {
  if (language === 'python') return path.endsWith('.py') ? normalisedPython(text) : text
  const syntax = LIKE_C[language]
  // Other languages, and other files than programs: a line is a line.
  return syntax === undefined || /\.(?:json|md|txt|html?|css|ya?ml)$/iu.test(path)
    ? withoutEnds(text)
    : normalisedText(text, syntax)
}
