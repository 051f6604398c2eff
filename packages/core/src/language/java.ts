// Java: how to compile and run it and how to read its failures.
import type { Candidate } from '../contract/candidate.js'
import { asArgument, BUILD_FILES, BUILD_FOLDER, COMPILER_MEMORY_BYTES, sourcesOf } from './build-folder.js'
import { readJavaErrors } from './java-errors.js'
import { readJavacErrors } from './javac-errors.js'
import type { Language, Recipe, RecipeContext } from './language.js'
import { maskStrings } from './parses.js'
import { diagnoseReport } from './reported.js'

const COMPILE_WALL_MS = 60_000
const REMEDY = 'apt-get install default-jdk-headless'
const CLASSES = `${BUILD_FOLDER}/classes`
/** Of the memory limit; classes, compiled code and thread stacks need the rest. */
const HEAP_SHARE = 0.5
const SMALLEST_HEAP_MIB = 16
/**
 * One thread of its own for each purpose: a machine's many cores would use up the limit on processes. And no file of
 * figures for `jstat`, which is made in /tmp whatever TMPDIR says.
 */
const MODEST = ['-XX:+UseSerialGC', '-XX:CICompilerCount=2', '-XX:-UsePerfData']
/** Without a bound it takes a share of the machine's memory, which may be more than the limit of the sandbox. */
const QUESTION = ['-Xmx64m', ...MODEST]
const forCompiler = (flags: readonly string[]): string[] => flags.map((flag) => `-J${flag}`)

/** Java. */
export const java: Language = {
  id: 'java',
  entry: 'Main.java',
  // The compiler wants a public class in the file of its name.
  entryOf: (text) => {
    const name = classesOf(maskStrings(text)).find(({ isPublic }) => isPublic)?.name
    return name === undefined ? undefined : `${name}.java`
  },
  tools: [
    { name: 'javac', probe: ['javac', ...forCompiler(QUESTION), '-version'], remedy: REMEDY },
    { name: 'java', probe: ['java', ...QUESTION, '-version'], remedy: REMEDY },
  ],
  recipe,
  diagnose: (execution, candidate) =>
    diagnoseReport(execution.step === 'compile' ? readJavacErrors : readJavaErrors, execution, candidate),
}

function recipe(program: Candidate, { memoryBytes, compileArgs }: RecipeContext): Recipe {
  const sources = sourcesOf(program, ['.java']).map(asArgument)
  const compiler = ['javac', ...forCompiler([...MODEST, '-Xmx512m', '-Duser.language=en'])]
  return {
    files: BUILD_FILES,
    compile: {
      command: { argv: [...compiler, '-g', '-encoding', 'UTF-8', '-d', CLASSES, ...compileArgs, ...sources] },
      limits: { wallMs: COMPILE_WALL_MS, memoryBytes: COMPILER_MEMORY_BYTES },
    },
    run: {
      // -ea: an assert that nobody asks is of no use; the trace of endless recursion needs no thousand lines.
      argv: [
        'java',
        ...MODEST,
        heapFlag(memoryBytes),
        '-ea',
        '-XX:MaxJavaStackTraceDepth=100',
        '-cp',
        CLASSES,
        mainClass(program),
      ],
    },
  }
}

function heapFlag(memoryBytes: number): string {
  return `-Xmx${Math.max(SMALLEST_HEAP_MIB, Math.floor((memoryBytes * HEAP_SHARE) / 1024 / 1024))}m`
}

/** The class that the entry is run by: one that has a main, else the public one, else that of the file's name. */
function mainClass({ files, entry }: Candidate): string {
  const text = maskStrings(files[entry] ?? '')
  const classes = classesOf(text)
  const main = text.search(/\bvoid\s+main\s*\(/u)
  const holder = main === -1 ? undefined : classes.filter(({ index }) => index < main).at(-1)
  const chosen = holder ?? classes.find(({ isPublic }) => isPublic) ?? classes[0]
  const name = chosen?.name ?? entry.slice(entry.lastIndexOf('/') + 1).replace(/\.java$/u, '')
  const folder = /^\s*package\s+([\w.]+)\s*;/mu.exec(text)?.[1]
  return folder === undefined ? name : `${folder}.${name}`
}

interface TopClass {
  readonly name: string
  readonly isPublic: boolean
  readonly index: number
}

const CLASS =
  /^\s*((?:public\s+|final\s+|abstract\s+|sealed\s+|strictfp\s+)*)(?:class|record|enum|interface)\s+(\w+)/gmu

/** The classes of a text that are in no other. */
function classesOf(masked: string): readonly TopClass[] {
  return [...masked.matchAll(CLASS)]
    .filter(({ index }) => depthAt(masked, index) === 0)
    .map(({ index, 1: modifiers = '', 2: name = '' }) => ({
      name,
      isPublic: modifiers.includes('public'),
      index,
    }))
}

/** How many braces are open at a place of a text. */
function depthAt(text: string, index: number): number {
  let depth = 0
  for (const brace of text.slice(0, index).match(/[{}]/gu) ?? []) depth += brace === '{' ? 1 : -1
  return depth
}
