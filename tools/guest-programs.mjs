// Writes the programs that run inside a sandbox (real .py files) as text into one module, so that they can be bundled.
// `node tools/guest-programs.mjs` writes it; with --check it only fails when the module is out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../packages/core/src/guest/', import.meta.url))
const target = `${folder}programs.generated.ts`

const names = readdirSync(folder)
  .filter((name) => name.endsWith('.py'))
  .sort()
const entries = names.map((name) => {
  const text = readFileSync(`${folder}${name}`, 'utf8')
  const escaped = text.replace(/[\\`]/g, '\\$&').replaceAll('${', '\\${')
  return `  ${name.slice(0, -'.py'.length)}: \`${escaped}\`,\n`
})
const text = `// Written by tools/guest-programs.mjs from the .py files beside it; edit those.

/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms = {
${entries.join('')}} as const
`

if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error(
    'programs.generated.ts is out of date: run `node tools/guest-programs.mjs` and commit the result.',
  )
  process.exitCode = 1
}
