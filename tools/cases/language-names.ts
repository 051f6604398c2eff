// How cases and files name languages, and the product's own ids for them.
import { extname } from 'node:path'
import { type Extraction, extractCandidate } from '@mendloop/core'
import { asKnown, asText, NotUnderstood, own } from './expectation.js'

const LANGUAGES = [
  ...['python', 'javascript', 'typescript', 'jsx', 'tsx', 'shell', 'console', 'powershell', 'batch'],
  ...['json', 'yaml', 'toml', 'ini', 'csv', 'xml', 'html', 'css', 'markdown', 'text', 'sql', 'diff'],
  ...['c', 'cpp', 'csharp', 'java', 'kotlin', 'go', 'rust', 'ruby', 'php'],
] as const

const SHORT_LANGUAGES: Readonly<Record<string, string>> = {
  py: 'python',
  js: 'javascript',
  ts: 'typescript',
  sh: 'shell',
  bash: 'shell',
}

/** A language that somebody could mean, by the id that the product gives it. */
export const asLanguage = (value: unknown): string => {
  const name = asText(value)
  return asKnown(own(SHORT_LANGUAGES, name) ?? name, LANGUAGES)
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  python: 'py pyw pyi',
  javascript: 'js mjs cjs',
  typescript: 'ts mts cts',
  jsx: 'jsx',
  tsx: 'tsx',
  shell: 'sh bash zsh',
  powershell: 'ps1',
  batch: 'bat cmd',
  json: 'json jsonc json5',
  yaml: 'yaml yml',
  toml: 'toml',
  ini: 'ini cfg conf properties',
  csv: 'csv tsv',
  xml: 'xml svg',
  html: 'html htm vue svelte',
  css: 'css scss sass less',
  markdown: 'md mdx markdown rst',
  text: 'txt log',
  sql: 'sql',
  diff: 'diff patch',
  c: 'c h',
  cpp: 'cpp cc cxx hpp hh',
  csharp: 'cs',
  java: 'java',
  kotlin: 'kt kts',
  go: 'go',
  rust: 'rs',
  ruby: 'rb',
  php: 'php',
}

/** Name of a file → id of its language. */
export function languageOfFile(path: string): string {
  const extension = extname(path).slice(1).toLowerCase()
  const [language] =
    Object.entries(EXTENSIONS).find(([, extensions]) => extensions.split(' ').includes(extension)) ?? []
  if (language === undefined) throw new NotUnderstood(`no language is known for the file "${path}"`)
  return language
}

/** Which language a reply is in, where the case does not say: Python, or else that of its first block with a tag. */
export function languageOfReply(reply: Parameters<typeof extractCandidate>[0]): string {
  const inPython: Extraction = extractCandidate(reply, { language: 'python' })
  if (inPython.status === 'ok') return 'python'
  return inPython.blocks.find(({ language }) => language !== undefined)?.language ?? 'python'
}
