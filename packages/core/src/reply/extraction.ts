// What goes into an extraction and what comes out.
import { z } from 'zod'
import type { Candidate } from '../contract/candidate.js'
import type { Failure } from '../contract/verify.js'
import type { EditReason } from './edits/edit.js'

/** What is looked for in a reply. */
export interface ExtractOptions {
  /** Language of the program, by any of its usual names; the result carries the canonical one. */
  language: string
  /** The file a single program goes to. Default by language and text, such as `solution.py`, or `solution.cjs` for CommonJS. */
  entry?: string
  /**
   * Which of several blocks is the program. `best`: decided by path label and role; `all`: every block of the language,
   * in order, as one program. Default `best`.
   */
  pick?: 'best' | 'first' | 'last' | 'all'
  /** A pair of markers that encloses code instead of fences, such as `['<code>', '</code>']`. */
  tags?: readonly [open: string, close: string]
  /** Name of a function that must be there; decides between blocks, and no repair may lose it. */
  entryPoint?: string
  /** Files that are known already, path → text: they make a path label certain and a comment old. */
  files?: Readonly<Record<string, string>>
}

/** Schema of {@link ExtractOptions}. */
export const extractOptionsSchema: z.ZodType<ExtractOptions> = z.strictObject({
  language: z.string().min(1),
  entry: z.string().min(1).optional(),
  pick: z.enum(['best', 'first', 'last', 'all']).optional(),
  tags: z
    .tuple([z.string().min(1), z.string().min(1)])
    .readonly()
    .optional(),
  entryPoint: z.string().min(1).optional(),
  files: z.record(z.string(), z.string()).optional(),
})

/** A block of code as the reply shows it. */
export interface CodeBlock {
  /** Canonical id of the tagged language; absent when the block has no tag. */
  readonly language?: string
  /** The info string as written, trimmed. */
  readonly tag: string
  /** Content with LF line ends, without the fence's own indent. */
  readonly text: string
  /** Path the reply gives to it, when it is a safe one. */
  readonly path?: string
  /** False when the reply, or the quote around it, ended before a closing fence. */
  readonly closed: boolean
  /** 1-based line of the opening fence in the reply's answer; for code of a tool call the number of that call. */
  readonly line: number
}

/** Why a reply gave no program. */
export type NoCandidateReason =
  | 'no-block'
  | 'empty-block'
  | 'prose'
  | 'wrong-language'
  | 'reply-cut'
  | 'block-unclosed'
  | 'reasoning-only'
  | 'omission-placeholder'
  | EditReason
  | 'unreadable-arguments'

/** What every extraction tells. */
export interface ExtractionBase {
  /** Every block of the answer, in order. */
  readonly blocks: readonly CodeBlock[]
  /** Text of each block that was used, in order, as it is run; empty unless `status` is `ok`. */
  readonly codes: readonly string[]
  /** Blocks that were seen and are no part of the program. */
  readonly notRun: readonly CodeBlock[]
  /** A sentence for the model when a block was left out that could be run, in whatever language. */
  readonly notice?: string
  /** The model's thoughts, taken out of the text or reported apart; never run. Empty when there were none. */
  readonly reasoning: string
  /** Stable names of what was mended or odd, in order of discovery. */
  readonly warnings: readonly string[]
}

/** A program, or the reason why there is none. */
export type Extraction = ExtractionBase &
  (
    | {
        /** The reply holds a program. */
        readonly status: 'ok'
        /**
         * The files of this reply; what it did not mention is not among them. Of a reply with edits: every file of the
         * options as it is after them.
         */
        readonly candidate: Candidate
        /** Paths of files that edits have deleted or moved away; absent when there are none. */
        readonly deleted?: readonly string[]
        /** Text of the entry file, or of the only file. */
        readonly code: string
        /** Canonical id of the asked language. */
        readonly language: string
      }
    | {
        /** `none`: no code; `incomplete`: the code was cut; `mismatch`: code in another language. */
        readonly status: 'none' | 'incomplete' | 'mismatch'
        /** Why, for programs. */
        readonly reason: NoCandidateReason
        /** Why, for the model. */
        readonly failure: Failure
      }
  )
