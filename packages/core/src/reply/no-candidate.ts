// What the model is told when its reply holds no program that can be used.
import type { Failure, FailureKind } from '../contract/verify.js'
import { fingerprintOf } from '../language/fingerprint.js'
import type { CodeBlock, NoCandidateReason } from './extraction.js'
import type { Judged } from './judge.js'

/** The part of an extraction that says why there is no program. */
export interface NoCandidate {
  readonly status: 'none' | 'incomplete' | 'mismatch'
  readonly reason: NoCandidateReason
  readonly failure: Failure
}

const wholeProgram = (language: string): string =>
  `Reply with the complete program in one fenced block that begins with \`\`\`${language} and ends with \`\`\`.`

/** No code at all. */
export function noCode(
  reason: 'no-block' | 'empty-block' | 'prose' | 'reasoning-only',
  language: string,
): NoCandidate {
  const problem = {
    'no-block': `The reply holds no ${language} code block, so nothing was run.`,
    'empty-block': 'The code block in the reply is empty, so nothing was run.',
    prose: `The reply holds text but no ${language} code, so nothing was run.`,
    'reasoning-only': 'The reply holds only reasoning and no answer after it, so nothing was run.',
  }[reason]
  return refusal('none', reason, 'no-code', `${problem} ${wholeProgram(language)}`)
}

/** Code in another language. */
export function wrongLanguage(found: readonly Judged[], language: string): NoCandidate {
  const first = found[0]
  const places = found
    .slice(0, 5)
    .map(({ block, is }) => `the block at line ${block.line} is ${is}${asTagged(block, is)}`)
  const message = `Asked for ${language}, but ${places.join(', and ')}; nothing was run. ${wholeProgram(language)}`
  const refused = refusal('mismatch', 'wrong-language', 'no-code', message)
  return first === undefined ? noCode('no-block', language) : refused
}

const asTagged = ({ language, tag }: CodeBlock, is: string): string =>
  language === undefined || language === is
    ? ''
    : ` although its tag says ${JSON.stringify(tag.slice(0, 40))}`

/** Code that stops in the middle. `line` is absent when not even a block had begun. */
export function cutOff(
  reason: 'reply-cut' | 'block-unclosed',
  language: string,
  line: number | undefined,
): NoCandidate {
  const where =
    line === undefined
      ? 'before any code block was complete'
      : `inside the code block that begins at line ${line}`
  const message =
    reason === 'reply-cut'
      ? `The reply was cut off ${where}, so nothing was run. Send the complete program again, shorter: code only, no explanation.`
      : `The code block that begins at line ${line ?? 1} has no closing fence and its code is not complete, as if it was cut off, so nothing was run. ${wholeProgram(language)}`
  return refusal('incomplete', reason, 'truncated-reply', message)
}

/** Code with a placeholder in place of a part. */
export function leftOut(comment: string, path: string): NoCandidate {
  const message =
    `The new text of ${path} leaves code out: the placeholder ${JSON.stringify(comment.slice(0, 120))} would replace it, ` +
    `so no file was changed. Send the complete text of ${path}, every line of it.`
  return refusal('incomplete', 'omission-placeholder', 'edit', message)
}

function refusal(
  status: NoCandidate['status'],
  reason: NoCandidateReason,
  kind: FailureKind,
  message: string,
): NoCandidate {
  return { status, reason, failure: { kind, message, fingerprint: fingerprintOf({ kind, message }) } }
}
