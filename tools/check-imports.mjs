// The order of imports is the architecture (ARCHITECTURE.md): walks every import and names each arrow that points the
// wrong way. Run by `npm run check`; as a module it gives the list.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** Core's rooms from the ground up: a room imports only from rows before its own. */
const ROWS = [
  ['contract', 'internal'],
  ['sandbox', 'confinement', 'model'],
  ['guest'],
  ['language'],
  ['reply'],
  ['verify'],
  ['feedback'],
  ['engine'],
  ['repair', 'interpreter'],
  ['trace', 'testing'],
]
const ROW_OF = new Map(ROWS.flatMap((rooms, row) => rooms.map((room) => [room, row])))

/** What people import; a door may gather from every room, and no room goes through a door. */
const CORE_DOORS = new Set(['index.ts', 'adapter.ts', 'testing/index.ts'])

/** Core starts no process, opens no connection and no thread. */
const CLOSED_TO_CORE = new Set([
  'child_process',
  'net',
  'http',
  'http2',
  'https',
  'tls',
  'dgram',
  'cluster',
  'worker_threads',
])

const NODE_MODULES = new Set(builtinModules)

/**
 * Every import that the architecture forbids, as a sentence with file and line.
 *
 * @param {string} root - folder that holds `packages`
 * @returns {string[]}
 */
export function wrongArrows(root) {
  const packages = readdirSync(join(root, 'packages')).filter((name) =>
    existsSync(join(root, 'packages', name, 'package.json')),
  )
  return [
    ...packages.flatMap((name) => inPackage(root, name)),
    // What uses the packages uses them as a stranger does: by their doors.
    ...['examples', 'bench', 'tools/cases'].flatMap((folder) => inConsumer(root, folder)),
  ]
}

function inPackage(root, name) {
  const folder = join(root, 'packages', name)
  const source = join(folder, 'src')
  const json = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const dependencies = new Set(Object.keys({ ...json.dependencies, ...json.peerDependencies }))
  const rule = name === 'core' ? coreRule : adapterRule
  return importsUnder(source).flatMap(({ file, line, specifier }) => {
    const from = toPosix(relative(source, file))
    const problem = problemWith(specifier, from, dependencies) ?? rule(specifier, from)
    return problem === undefined
      ? []
      : [`${toPosix(relative(root, file))}:${line} imports ${specifier}: ${problem}`]
  })
}

/** What holds for every package: nothing outside its own src, and of other packages only what package.json names. */
function problemWith(specifier, from, dependencies) {
  if (specifier.startsWith('.')) {
    return targetOf(specifier, from).startsWith('..') ? "it leaves the package's src" : undefined
  }
  if (nodeModule(specifier) !== undefined) {
    return specifier.startsWith('node:') ? undefined : `write node:${specifier}`
  }
  const owner = packageOf(specifier)
  return dependencies.has(owner) ? undefined : `${owner} is not a dependency in package.json`
}

function coreRule(specifier, from) {
  const room = CORE_DOORS.has(from) ? 'door' : roomOf(from)
  if (room !== 'door' && !ROW_OF.has(room))
    return `"${room}" is not a room of core: say where it stands in tools/check-imports.mjs`
  const builtin = nodeModule(specifier)
  if (builtin !== undefined)
    return CLOSED_TO_CORE.has(builtin) ? 'core starts no process, server or thread' : undefined
  if (specifier.startsWith('@mendloop/')) return 'core imports no other package of Mendloop'
  if (!specifier.startsWith('.') || room === 'door') return undefined
  const target = targetOf(specifier, from)
  if (CORE_DOORS.has(target.replace(/\.js$/, '.ts'))) return 'a room never goes through a door'
  const other = roomOf(target)
  if (other === room) return undefined
  if (!ROW_OF.has(other)) return `"${other}" is not a room of core`
  if (ROW_OF.get(other) < ROW_OF.get(room)) return undefined
  return ROW_OF.get(other) === ROW_OF.get(room)
    ? `${room} and ${other} stand side by side and do not know each other`
    : `${room} stands below ${other}`
}

function adapterRule(specifier) {
  const owner = packageOf(specifier)
  if (!owner.startsWith('@mendloop/') || owner === '@mendloop/core') return undefined
  return 'an adapter imports @mendloop/core and its doors, and no other adapter'
}

function inConsumer(root, folder) {
  return importsUnder(join(root, folder))
    .filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return false
      const path = toPosix(relative(root, file))
      const target = targetOf(specifier, path)
      // Tests share what tells why they do not run.
      if (path.includes('/test/') && target.includes('/test/helpers/')) return false
      return target.startsWith('packages/')
    })
    .map(
      ({ file, line, specifier }) =>
        `${toPosix(relative(root, file))}:${line} imports ${specifier}: use the package's door`,
    )
}

/** Every import, export from, import() and import type of a folder's TypeScript files. */
function importsUnder(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8')
      return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
        file,
        line: text.slice(0, pos).split('\n').length,
        specifier: fileName,
      }))
    })
}

const toPosix = (path) => path.split(sep).join('/')
const targetOf = (specifier, from) => posix.normalize(posix.join(posix.dirname(from), specifier))
const roomOf = (path) => (path.includes('/') ? path.split('/')[0] : path)
const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** `node:fs/promises` and `fs/promises` → `fs`; undefined for what Node does not bring. */
function nodeModule(specifier) {
  const name = specifier.replace(/^node:/, '')
  if (!specifier.startsWith('node:') && !NODE_MODULES.has(name)) return undefined
  return name.split('/')[0]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const arrows = wrongArrows(fileURLToPath(new URL('..', import.meta.url)))
  for (const arrow of arrows) console.error(arrow)
  process.exitCode = arrows.length === 0 ? 0 : 1
}
