// What a session can be told when it is opened, and a cell when it is run.
import { z } from 'zod'
import { abortSignalSchema } from '../../contract/foreign-values.js'
import { languageAmong } from '../../contract/language-names.js'
import type { Limits } from '../../contract/sandbox.js'
import { limitsSchema } from '../../contract/sandbox-schemas.js'
import type { HostCallEvent } from './host-desk.js'
import type { HostFunctions } from './host-function.js'
import type { CellOptions, SessionLanguage } from './session.js'

/** How a session should be. */
export interface OpenSessionOptions {
  /** What its cells are written in, by any usual name: `py` is Python, `js` and `node` are JavaScript. */
  language: SessionLanguage | (string & {})
  /** Functions of the application that cells may call; see `createHostFunctions`. Default: none. */
  host?: HostFunctions
  /** Told of every call, answered or refused. What it throws is ignored. */
  onHostCall?(event: HostCallEvent): void
  /** Time on the wall for each cell, in milliseconds. Default 30 000. */
  cellMs?: number
  /** How long a cell may take to end once it is interrupted, in milliseconds; then it is killed. Default 1 000. */
  interruptGraceMs?: number
  /** Override the sandbox's limits; `wallMs` is that of the whole session, 30 days by default. */
  limits?: Partial<Limits>
  /** Tell the values of variables with each exception. Default false. */
  locals?: boolean
  /** Aborting closes the session. */
  signal?: AbortSignal
}

/** The longest time of a timer. */
const MOST_MS = 2 ** 31 - 1

const milliseconds = z
  .int('must be a whole number')
  .positive('must be more than 0')
  .max(MOST_MS, `must be at most ${MOST_MS} (24.8 days)`)
const callback = <T>() => z.custom<T>((value) => typeof value === 'function', 'must be a function')

/** Schema of {@link OpenSessionOptions}. */
export const openSessionSchema: z.ZodType<OpenSessionOptions & { language: SessionLanguage }> =
  z.strictObject({
    language: languageAmong(['python', 'javascript']),
    host: z
      .custom<HostFunctions>((value) => typeof value === 'object' && value !== null, 'must be an object')
      .optional(),
    onHostCall: callback<(event: HostCallEvent) => void>().optional(),
    cellMs: milliseconds.optional(),
    interruptGraceMs: milliseconds.optional(),
    limits: limitsSchema.optional(),
    locals: z.boolean().optional(),
    signal: abortSignalSchema.optional(),
  })

/** Schema of {@link CellOptions}. */
export const cellOptionsSchema: z.ZodType<CellOptions> = z.strictObject({
  timeoutMs: milliseconds.optional(),
  signal: abortSignalSchema.optional(),
  onOutput: callback<NonNullable<CellOptions['onOutput']>>().optional(),
  name: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}"'\\]{1,120}$/u, 'must be 1 to 120 visible characters without quotes')
    // Frames of files with such names are hidden as the session's own.
    .refine((name) => !name.startsWith('<mendloop'), 'must not start with "<mendloop"')
    .optional(),
})
