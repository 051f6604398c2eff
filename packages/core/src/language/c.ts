// C and C++ with the GNU compilers: how to compile and run them and how to read what goes wrong.
import type { Candidate } from '../contract/candidate.js'
import {
  asArgument,
  BUILD_FILES,
  BUILT_PROGRAM,
  COMPILER_MEMORY_BYTES,
  ENGLISH,
  sourcesOf,
} from './build-folder.js'
import { readCompilerErrors } from './gcc-errors.js'
import type { Language, Recipe, RecipeContext } from './language.js'
import { readNativeErrors } from './native-errors.js'
import { diagnoseReport } from './reported.js'

const COMPILE_WALL_MS = 60_000
/** Leaks are looked for with ptrace, which no sandbox with walls allows: a correct program would end with 1. */
const WITHOUT_LEAKS = { ASAN_OPTIONS: 'detect_leaks=0' }

interface Dialect {
  readonly id: string
  readonly compiler: string
  readonly standard: string
  readonly entry: string
  readonly endings: readonly string[]
}

/** C. */
export const c: Language = dialect({
  id: 'c',
  compiler: 'gcc',
  standard: '-std=gnu17',
  entry: 'solution.c',
  endings: ['.c'],
})

/** C++. */
export const cpp: Language = dialect({
  id: 'cpp',
  compiler: 'g++',
  standard: '-std=gnu++20',
  entry: 'solution.cpp',
  endings: ['.cpp', '.cc', '.cxx', '.c++'],
})

function dialect(one: Dialect): Language {
  const { id, entry, compiler } = one
  return {
    id,
    entry,
    tools: [{ name: compiler, probe: [compiler, '--version'], remedy: `apt-get install ${compiler}` }],
    recipe: (program, context) => recipe(one, program, context),
    diagnose: (execution, candidate) =>
      diagnoseReport(
        execution.step === 'compile' ? readCompilerErrors : readNativeErrors,
        execution,
        candidate,
      ),
  }
}

function recipe(
  { compiler, standard, endings }: Dialect,
  program: Candidate,
  context: RecipeContext,
): Recipe {
  // Warnings need some optimising; -O1 drops writes that would have crashed. A tab counts as one column, as in the text.
  const flags = [standard, '-g', '-Og', '-Wall', '-ftabstop=1', '-fno-omit-frame-pointer', '-pthread']
  const sources = sourcesOf(program, endings).map(asArgument)
  const output = ['-o', BUILT_PROGRAM]
  return {
    files: BUILD_FILES,
    compile: {
      command: {
        // Libraries are looked for in order: after the files that need them.
        argv: [compiler, ...flags, ...output, ...sources, ...context.compileArgs, '-lm'],
        env: ENGLISH,
      },
      limits: { wallMs: COMPILE_WALL_MS, memoryBytes: COMPILER_MEMORY_BYTES },
    },
    run: { argv: [`./${BUILT_PROGRAM}`], ...(hasAddressSanitizer(context) && { env: WITHOUT_LEAKS }) },
  }
}

const hasAddressSanitizer = ({ compileArgs }: RecipeContext): boolean =>
  compileArgs.some((one) => /^-fsanitize=(?:.*,)?address(?:,|$)/u.test(one))
