// Rust: how to compile and run it and how to read its failures.
import type { Candidate } from '../contract/candidate.js'
import { asArgument, BUILD_FILES, BUILT_PROGRAM, COMPILER_MEMORY_BYTES } from './build-folder.js'
import type { Language, LanguageTool, Recipe, RecipeContext } from './language.js'
import { diagnoseReport } from './reported.js'
import { readRustErrors } from './rust-errors.js'
import { readRustcErrors } from './rustc-errors.js'

const COMPILE_WALL_MS = 120_000

/** What rustc links with; on Windows it brings its own or finds that of Visual Studio. */
const LINKER: readonly LanguageTool[] =
  process.platform === 'win32'
    ? []
    : [{ name: 'cc', probe: ['cc', '--version'], remedy: 'apt-get install gcc' }]

/** Rust, one crate without others; modules of the program are found by rustc. */
export const rust: Language = {
  id: 'rust',
  entry: 'solution.rs',
  tools: [
    {
      name: 'rustc',
      probe: ['rustc', '--version'],
      remedy: 'a toolchain of https://rustup.rs, or apt-get install rustc',
    },
    ...LINKER,
  ],
  recipe,
  diagnose: (execution, candidate) =>
    diagnoseReport(execution.step === 'compile' ? readRustcErrors : readRustErrors, execution, candidate),
}

function recipe({ entry }: Candidate, { compileArgs }: RecipeContext): Recipe {
  const flags = ['--edition', '2021', '--color', 'never', '--crate-name', 'solution', '--crate-type', 'bin']
  return {
    files: BUILD_FILES,
    compile: {
      command: {
        argv: ['rustc', ...flags, '-g', '-o', BUILT_PROGRAM, ...compileArgs, asArgument(entry)],
      },
      limits: { wallMs: COMPILE_WALL_MS, memoryBytes: COMPILER_MEMORY_BYTES },
    },
    run: { argv: [`./${BUILT_PROGRAM}`], env: { RUST_BACKTRACE: '1' } },
  }
}
