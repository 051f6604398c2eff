// What is taken out of text from an execution before a model reads it: escape codes, secrets, the sandbox's paths.
import type { Candidate } from '../contract/candidate.js'
import type { ExecutionResult } from '../contract/execution.js'
import { programPaths } from '../language/program-paths.js'
import { textForModel } from '../language/text-for-model.js'
import { redactSecrets } from './redact-secrets.js'

/** What is known of the run. */
export interface CleanOptions {
  readonly candidate?: Candidate | undefined
  readonly workdir?: string | undefined
  readonly execution?: Pick<ExecutionResult, 'stderr'> | undefined
}

/** Makes the function that cleans text of one run. */
export function cleanerFor({ candidate, workdir, execution }: CleanOptions): (text: string) => string {
  const seen = [...(execution?.stderr.text ?? '').matchAll(/File "(\/[^"\n]+)", line \d/gu)].map(
    ([, file = '']) => file,
  )
  const { hide } = programPaths({
    seen,
    ...(candidate !== undefined && { candidate }),
    ...(workdir !== undefined && { workdir }),
  })
  return (text) => redactSecrets(hide(textForModel(text)))
}
