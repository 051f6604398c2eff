// What a confined program may read and execute: the system, and the interpreters and toolchains that are on PATH.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findTool } from './machine.js'

/** Folders of the system's programs and libraries. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/nix/store']

/**
 * Settings without which programs of the system do not start, complain (fontconfig) or see a wrong time; nothing
 * that names users or hosts. Java's start here on Debian (`/etc/java-17-openjdk`).
 */
const SYSTEM_FILES = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/localtime',
  '/etc/fonts',
  '/etc/mime.types',
]
const CERTIFICATES = ['/etc/ssl/certs', '/etc/ssl/openssl.cnf', '/etc/pki/tls/certs', '/etc/ca-certificates']
/** Only of use to a program that has a network. */
const NETWORK_FILES = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/nsswitch.conf',
  '/etc/services',
  '/etc/protocols',
]

/** Programs whose installations are let in when they are on PATH and out of the system's folders. */
const TOOLCHAINS = [
  'node',
  'rustc',
  'cargo',
  'go',
  'java',
  'javac',
  'gcc',
  'clang',
  'deno',
  'bun',
  'ruby',
  'perl',
]

/** Top-level folders: real ones, and links such as `/bin` → `usr/bin`. */
export function systemRoot(): { folders: string[]; links: Record<string, string> } {
  const folders: string[] = []
  const links: Record<string, string> = {}
  for (const path of SYSTEM_FOLDERS) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink()) links[path] = readlinkSync(path)
    else if (stats !== undefined) folders.push(path)
  }
  return { folders, links }
}

/** Files of the system beside {@link systemRoot}. */
export function systemFiles(withNetwork: boolean): string[] {
  const java = readdirSync('/etc').filter((name) => name.startsWith('java-'))
  const files = [...SYSTEM_FILES, ...CERTIFICATES, ...java.map((name) => `/etc/${name}`)]
  return [...files, ...(withNetwork ? NETWORK_FILES : [])].filter((path) => existsSync(path))
}

/** An installation that programs do not find by themselves. */
export interface Installation {
  /** Folder, or single file, that may be read; undefined when it is in the system's folders. */
  readonly path: string | undefined
  /** Folder to have on PATH. */
  readonly bin: string
}

let known: readonly Installation[] | undefined

/** Toolchains on PATH that are not where every program looks; looked for once. */
export function toolchains(): readonly Installation[] {
  known ??= TOOLCHAINS.flatMap((name) => {
    const found = findTool(name)
    const installation = found === undefined ? undefined : installationOf(found)
    return installation === undefined ? [] : [installation]
  })
  return known
}

/**
 * The installation that an executable file belongs to: the folder above its `bin`, never somebody's home or all that
 * they have installed in it.
 */
export function installationOf(file: string): Installation | undefined {
  const real = realPath(file)
  if (real === undefined) return undefined
  if (isOfSystem(real))
    return isOnEveryPath(dirname(file)) ? undefined : { path: undefined, bin: dirname(file) }
  // rustup puts one program in the place of all; behind it are the toolchains.
  if (/^rustup(\.exe)?$/.test(real.slice(real.lastIndexOf('/') + 1))) return rustToolchain()
  const bin = dirname(real)
  const prefix = dirname(bin)
  return bin.endsWith('/bin') && !isTooWide(prefix)
    ? { path: prefix, bin }
    : { path: real, bin: dirname(file) }
}

const isOnEveryPath = (folder: string): boolean =>
  ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].includes(folder)

/** True for what {@link systemRoot} lets in. */
export const isOfSystem = (path: string): boolean =>
  SYSTEM_FOLDERS.some((folder) => path === folder || path.startsWith(`${folder}/`))

/** A folder that holds more than one installation. */
export function isTooWide(prefix: string): boolean {
  const home = homedir()
  const wide = ['/', '/opt', '/home', '/root', home, `${home}/.local`, '/tmp', '/var', '/etc', '/mnt']
  return wide.includes(prefix) || home.startsWith(`${prefix}/`)
}

function rustToolchain(): Installation | undefined {
  const home = process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup')
  const names = namesIn(join(home, 'toolchains'))
  const wanted = process.env['RUSTUP_TOOLCHAIN'] ?? defaultToolchain(home)
  const name =
    names.find((one) => one === wanted) ?? names.find((one) => one.startsWith('stable')) ?? names[0]
  if (name === undefined) return undefined
  const path = join(home, 'toolchains', name)
  return { path, bin: join(path, 'bin') }
}

function defaultToolchain(home: string): string | undefined {
  try {
    return /^default_toolchain = "(.*)"$/m.exec(readFileSync(join(home, 'settings.toml'), 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
