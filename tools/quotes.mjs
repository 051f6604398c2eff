// The code blocks of README and docs that quote an example file: `<!-- quote: FILE -->` above a fence.
//   node tools/quotes.mjs          writes the files into the quotes
//   node tools/quotes.mjs --check  fails when a quote differs from its file, or a ts block quotes nothing
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { root } from './packages.mjs'

// The closing fence stands at the start of a line; an example may hold fences inside its strings.
const QUOTE = /<!-- quote: (\S+) -->\n```(\w+)\n[\s\S]*?^```$/gm
const TS_BLOCK = /^```(?:ts|typescript|js|javascript)\b/gm

/** Every Markdown page that may quote. */
export const pages = () => [
  'README.md',
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...readdirSync(`${root}packages`).map((name) => `packages/${name}/README.md`),
]

/** A page with each quote as its file is now. */
export const withQuotes = (text) =>
  text.replace(QUOTE, (_all, file, language) => {
    const code = readFileSync(`${root}${file}`, 'utf8').trimEnd()
    return `<!-- quote: ${file} -->\n\`\`\`${language}\n${code}\n\`\`\``
  })

/** What is wrong with a page: an old quote, or code that no test compiles because it quotes no file. */
export function problems(page, text) {
  const found =
    withQuotes(text) === text ? [] : [`${page}: a quote differs from its file; run node tools/quotes.mjs`]
  const blocks = [...text.matchAll(TS_BLOCK)].length
  const quotes = [...text.matchAll(QUOTE)].length
  if (blocks !== quotes) found.push(`${page}: ${blocks} code blocks, of which ${quotes} quote an example`)
  return found
}

if (process.argv[1]?.endsWith('quotes.mjs')) {
  const read = (page) => readFileSync(`${root}${page}`, 'utf8')
  if (process.argv.includes('--check')) {
    const all = pages().flatMap((page) => problems(page, read(page)))
    for (const one of all) console.error(one)
    process.exit(all.length === 0 ? 0 : 1)
  }
  for (const page of pages()) writeFileSync(`${root}${page}`, withQuotes(read(page)))
}
