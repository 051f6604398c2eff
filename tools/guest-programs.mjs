// Writes the programs that run inside a sandbox (real .py and .mjs files) as text into modules, so that they can be
// bundled: one module for each folder that has any. Git does not keep these; each npm script and vitest write them first.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../packages/core/src/guest/', import.meta.url))
const ENDINGS = ['.py', '.mjs']

/** Writes the modules that are missing or old. */
export function writeGuestPrograms() {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  for (const folder of [root, ...folders.map(({ name }) => `${root}${name}/`)]) {
    const names = readdirSync(folder)
      .filter((name) => ENDINGS.includes(extname(name)))
      .sort()
    if (names.length > 0) update(`${folder}programs.generated.ts`, moduleOf(folder, names))
  }
}

/** A module with the text of each program. */
function moduleOf(folder, names) {
  const endings = [...new Set(names.map((name) => extname(name)))]
  const keys = names.map((name) => basename(name, extname(name)))
  const entries = names.map((name, index) => {
    const text = readFileSync(`${folder}${name}`, 'utf8')
    const escaped = text.replace(/[\\`]/g, '\\$&').replaceAll('${', '\\${')
    return `  ${keys[index]}: \`${escaped}\`,\n`
  })
  return `// Written by tools/guest-programs.mjs from the ${endings.join(' and ')} files beside it; edit those.

// The type is written out: inferred, the declarations would hold every text once more.
/** Text of each program that runs inside a sandbox, by its file's name without the ending. */
export const guestPrograms: Readonly<Record<${keys.map((key) => `'${key}'`).join(' | ')}, string>> = {
${entries.join('')}}
`
}

/** In one step: another npm script may be reading it. */
function update(target, text) {
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return
  const next = `${target}.${process.pid}`
  writeFileSync(next, text)
  renameSync(next, target)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeGuestPrograms()
