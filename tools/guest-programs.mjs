// Writes the programs that run inside a sandbox (real .py and .mjs files) as text into modules, so that they can be
// bundled: one module for each folder that has any. `node tools/guest-programs.mjs` writes them; with --check it only
// fails when one is out of date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../packages/core/src/guest/', import.meta.url))
const ENDINGS = ['.py', '.mjs']

const folders = [
  root,
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${root}${entry.name}/`),
]
for (const folder of folders) {
  const names = readdirSync(folder)
    .filter((name) => ENDINGS.includes(extname(name)))
    .sort()
  if (names.length > 0) update(`${folder}programs.generated.ts`, moduleOf(folder, names))
}

/** A module with the text of each program. */
function moduleOf(folder, names) {
  const endings = [...new Set(names.map((name) => extname(name)))]
  const entries = names.map((name) => {
    const text = readFileSync(`${folder}${name}`, 'utf8')
    const escaped = text.replace(/[\\`]/g, '\\$&').replaceAll('${', '\\${')
    return `  ${basename(name, extname(name))}: \`${escaped}\`,\n`
  })
  return `// Written by tools/guest-programs.mjs from the ${endings.join(' and ')} files beside it; edit those.

/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms = {
${entries.join('')}} as const
`
}

function update(target, text) {
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${target} is out of date: run \`node tools/guest-programs.mjs\` and commit the result.`)
    process.exitCode = 1
  }
}
