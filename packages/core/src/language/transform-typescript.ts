// TypeScript files → one JavaScript module with a source map, made on the host from the program's text alone.
import { posix } from 'node:path'
import type { Candidate } from '../contract/candidate.js'
import { folderOf } from './build-folder.js'
import type { Esbuild, EsbuildMessage } from './esbuild.js'

/** What a transformation came to; `path` is where the module belongs. */
export type Transformed =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly errors: string }

/** A file name for which nobody looks on the host. */
const NAMESPACE = 'program'
const SCRIPT_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json']
const LOADERS: Readonly<Record<string, string>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
  '.json': 'json',
}
const REQUIRE = [
  "import { createRequire as mendloopCreateRequire } from 'node:module'",
  'const require = mendloopCreateRequire(import.meta.url)',
].join('\n')
const SOURCE_MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/u

/**
 * Bundles the program's own files; packages and files that are not among them stay imports.
 *
 * Every import is resolved against the program's text, so that no file of the host is read, whatever the program names.
 */
export async function transformTypeScript(
  esbuild: Esbuild,
  { files, entry }: Candidate,
  workdir: string,
): Promise<Transformed> {
  // Beside the entry, so that what is named relative to the module is found.
  const path = posix.join(folderOf(entry), `.mendloop.${posix.basename(entry)}.mjs`)
  try {
    const { outputFiles = [] } = await esbuild.build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      sourcesContent: true,
      logLevel: 'silent',
      outfile: `/${path}`,
      absWorkingDir: process.cwd(),
      tsconfigRaw: {},
      // CommonJS modules of the program call require, which a module has not got.
      banner: { js: REQUIRE },
      plugins: [ownFiles(files, entry)],
    })
    return { path, text: withRealSources(outputFiles[0]?.text ?? '', workdir) }
  } catch (error) {
    const messages = (error as { errors?: readonly EsbuildMessage[] }).errors
    if (!Array.isArray(messages) || messages.length === 0) throw error
    return { path, errors: messages.map(errorText).join('\n') }
  }
}

/** The plugin that answers every question of the bundler. */
function ownFiles(files: Candidate['files'], entry: string): object {
  return {
    name: 'mendloop',
    setup(build: PluginBuild) {
      build.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return { path: entry, namespace: NAMESPACE }
        if (!/^\.{1,2}(?:\/|$)/u.test(path)) return { path, external: true }
        const wanted = posix.join(folderOf(importer), path)
        const own = findFile(files, wanted)
        if (own !== undefined) return { path: own, namespace: NAMESPACE }
        const relative = posix.relative(folderOf(entry), wanted)
        return { path: relative.startsWith('.') ? relative : `./${relative}`, external: true }
      })
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        contents: files[path] ?? '',
        loader: LOADERS[posix.extname(path)] ?? 'js',
      }))
    },
  }
}

interface PluginBuild {
  onResolve(
    options: { filter: RegExp },
    resolve: (args: { path: string; importer: string; kind: string }) => object,
  ): void
  onLoad(options: { filter: RegExp; namespace: string }, load: (args: { path: string }) => object): void
}

/** The file an import means: as written, with an ending, `.js` for `.ts` as the compiler has it, or a folder's index. */
function findFile(files: Candidate['files'], wanted: string): string | undefined {
  const typed = wanted.replace(/\.([cm]?)js(x?)$/u, '.$1ts$2')
  const names = [
    wanted,
    typed,
    ...SCRIPT_ENDINGS.flatMap((ending) => [`${wanted}${ending}`, `${wanted}/index${ending}`]),
  ]
  return names.find((name) => files[name] !== undefined && SCRIPT_ENDINGS.includes(posix.extname(name)))
}

/** Names the sources in the map as they lie in the workspace. */
function withRealSources(text: string, workdir: string): string {
  return text.replace(SOURCE_MAP, (_, encoded: string) => {
    const map = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as { sources: string[] }
    const sources = map.sources.map(
      (source) => `${workdir}/${source.slice(source.indexOf(`${NAMESPACE}:`) + NAMESPACE.length + 1)}`,
    )
    const renamed = Buffer.from(JSON.stringify({ ...map, sources })).toString('base64')
    return `\n//# sourceMappingURL=data:application/json;base64,${renamed}\n`
  })
}

/** An error as compilers print it: `file:line:column: error: text`, the line, a mark. */
function errorText({ text, location }: EsbuildMessage): string {
  if (location === null) return `error: ${text}`
  const { file, line, column, lineText } = location
  // The bundler counts bytes; people count characters.
  const before = Buffer.from(lineText).subarray(0, column).toString('utf8').length
  const name = file.replace(`${NAMESPACE}:`, '')
  return `${name}:${line}:${before + 1}: error: ${text}\n    ${lineText}\n    ${' '.repeat(before)}^`
}
