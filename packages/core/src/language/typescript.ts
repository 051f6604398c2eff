// TypeScript: run by a Node that strips types, or turned into JavaScript on the host first.
import type { Candidate } from '../contract/candidate.js'
import { loadEsbuild } from './esbuild.js'
import { asNodeArgument, IDLE_NODE, NODE, nodeFlags } from './javascript.js'
import type { Language, Recipe, RecipeContext } from './language.js'
import { readNodeErrors } from './node-errors.js'
import { diagnoseReport } from './reported.js'
import { toolchainMissing } from './toolchain.js'
import { readTransformErrors } from './transform-errors.js'
import { transformTypeScript } from './transform-typescript.js'

/** TypeScript; types are taken away, not checked. */
export const typescript: Language = {
  id: 'typescript',
  entry: 'solution.ts',
  tools: [NODE],
  idle: IDLE_NODE,
  recipe,
  diagnose: (execution, candidate) =>
    diagnoseReport(execution.step === 'compile' ? readTransformErrors : readNodeErrors, execution, candidate),
}

async function recipe(program: Candidate, context: RecipeContext): Promise<Recipe> {
  const { memoryBytes, workdir, answers } = context
  const version = versionOf(answers['node'] ?? '')
  if (isAtLeast(version, 22, 6)) {
    const isDefault = isAtLeast(version, 23, 6) || (version.major === 22 && version.minor >= 18)
    const strip = isDefault ? [] : ['--experimental-strip-types']
    return {
      run: {
        argv: [
          'node',
          ...nodeFlags(memoryBytes),
          ...strip,
          '--disable-warning=ExperimentalWarning',
          asNodeArgument(program.entry),
        ],
      },
    }
  }
  const esbuild = await loadEsbuild()
  if (esbuild === undefined)
    throw toolchainMissing(
      typescript,
      {
        name: 'esbuild',
        remedy: 'npm install esbuild beside @mendloop/core, or Node 22.6 or later in the sandbox',
      },
      `is not installed, and the sandbox's Node (${answers['node']?.trim() || 'of unknown version'}) cannot run TypeScript by itself`,
    )
  const made = await transformTypeScript(esbuild, program, workdir)
  const run = { argv: ['node', ...nodeFlags(memoryBytes), '--enable-source-maps', asNodeArgument(made.path)] }
  return 'errors' in made
    ? { compile: { errors: made.errors }, run }
    : { files: { [made.path]: made.text }, run }
}

interface Version {
  readonly major: number
  readonly minor: number
}

/** The version in the answer `v22.6.0`; 0.0 when there is none. */
function versionOf(answer: string): Version {
  const [, major = '0', minor = '0'] = /v?(\d+)\.(\d+)/u.exec(answer) ?? []
  return { major: Number(major), minor: Number(minor) }
}

const isAtLeast = (version: Version, major: number, minor: number): boolean =>
  version.major > major || (version.major === major && version.minor >= minor)
