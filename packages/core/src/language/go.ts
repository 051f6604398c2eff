// Go: how to compile and run it and how to read its failures.
import type { Candidate } from '../contract/candidate.js'
import { asArgument, BUILD_FILES, BUILT_PROGRAM, COMPILER_MEMORY_BYTES, folderOf } from './build-folder.js'
import { readGoBuildErrors } from './go-build-errors.js'
import { readGoErrors } from './go-errors.js'
import type { Language, Recipe, RecipeContext } from './language.js'
import { diagnoseReport } from './reported.js'

/** The first build in a sandbox compiles the standard library too: 6 s on two cores, 30 s on a slow one. */
const COMPILE_WALL_MS = 120_000
/** Of the memory limit; the collector works harder above it. */
const HEAP_SHARE = 0.8

/** Go. */
export const go: Language = {
  id: 'go',
  entry: 'solution.go',
  tools: [
    {
      name: 'go',
      probe: ['go', 'version'],
      remedy: 'a package of https://go.dev/dl, or apt-get install golang-go',
    },
  ],
  recipe,
  diagnose: (execution, candidate) =>
    diagnoseReport(execution.step === 'compile' ? readGoBuildErrors : readGoErrors, execution, candidate),
}

function recipe(program: Candidate, { workdir, memoryBytes, compileArgs }: RecipeContext): Recipe {
  const folder = folderOf(program.entry)
  const usesC = Object.values(program.files).some((text) => /^import[ \t]+"C"$/mu.test(text))
  // Nothing is fetched, neither a module nor another Go; two at a time is as many as the limits bear.
  const env = {
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-p=2 -buildvcs=false',
    GOMAXPROCS: '2',
    GOTELEMETRY: 'off',
    CGO_ENABLED: usesC ? '1' : '0',
  }
  return {
    files: BUILD_FILES,
    compile: {
      command: {
        argv: ['go', 'build', '-o', `${workdir}/${BUILT_PROGRAM}`, ...compileArgs, ...packageOf(program)],
        env,
        ...(folder !== '' && { cwd: folder }),
      },
      limits: { wallMs: COMPILE_WALL_MS, memoryBytes: COMPILER_MEMORY_BYTES },
    },
    run: {
      argv: [`./${BUILT_PROGRAM}`],
      env: { GOMEMLIMIT: String(Math.floor(memoryBytes * HEAP_SHARE)) },
    },
  }
}

/** With a go.mod above it the folder of the entry is a package of its own; without, its files are named one by one. */
function packageOf({ files, entry }: Candidate): readonly string[] {
  const folder = folderOf(entry)
  const isAbove = (path: string): boolean => `/${folder}/`.startsWith(`/${path}`.replace(/go\.mod$/u, ''))
  if (Object.keys(files).some((path) => /(?:^|\/)go\.mod$/u.test(path) && isAbove(path))) return ['.']
  const beside = Object.keys(files).filter(
    (path) => folderOf(path) === folder && path.endsWith('.go') && !path.endsWith('_test.go'),
  )
  return beside.map((path) => asArgument(path.slice(folder === '' ? 0 : folder.length + 1)))
}
