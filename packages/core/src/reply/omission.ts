// Comments that stand for code the model left out. Written to a file they would delete that code.
import { lexPython } from '../language/python-lexer.js'

const COMMENT = /^(?:#+|\/\/+|\/\*+|\*|<!--|--|;+|%+)\s*(.*?)\s*(?:\*\/|-->)?$/
const DOTS = String.raw`(?:\.{2,}|…)`
const CODE = String.raw`\b(?:code|functions?|methods?|class(?:es)?|implementations?|file|imports?|logic|scripts?|programs?|modules?|definitions?|helpers?|tests?|body|content|stuff|lines|parts?|section|everything)\b`
const LEFT = String.raw`\b(?:rest|remaining|remainder|existing|previous|other|unchanged|omitted|same|original|earlier|above)\b`
const STAYS = String.raw`(?:\b(?:unchanged|untouched|unmodified|omitted|elided|intact|not shown|as (?:is|before|above|it was|they were)|for brevity)\b|\b(?:remains?|stays?|is|are|keep)\b.{0,20}\b(?:the )?same\b|\bgo(?:es)? here\b|\bsame as (?:before|above|earlier|previous)\b)`
const OMISSIONS: readonly RegExp[] = [
  /^\W*same as (?:before|above|earlier|previously)\W*$/i,
  new RegExp(String.raw`^[\s\[(<]*${DOTS}.*(?:${LEFT}|${STAYS})`, 'i'),
  new RegExp(String.raw`(?:${LEFT}|\bkeep\b).*${CODE}.*${DOTS}\W*$`, 'i'),
  new RegExp(String.raw`(?:${LEFT}|\bkeep\b).{0,40}${CODE}.{0,40}${STAYS}`, 'i'),
  new RegExp(
    String.raw`${CODE}.{0,20}(?:\bomitted\b|\bunchanged\b|\belided\b|\bnot shown\b|\bfor brevity\b)`,
    'i',
  ),
  new RegExp(
    String.raw`^\W*(?:${LEFT}\s+){1,2}(?:of\s+)?(?:the\s+|your\s+)?${CODE}(?:\s+(?:of|in)\s+(?:the\s+)?${CODE})?(?:\s+(?:here|as before))?\W*$`,
    'i',
  ),
]

/**
 * The first comment of `text` that stands for left-out code, or undefined.
 *
 * @param known - the file as it was; a comment that is in it already leaves nothing out
 */
export function findOmission(text: string, language: string, known: string | undefined): string | undefined {
  const old = known === undefined ? undefined : new Set(commentLines(known, language))
  return commentLines(text, language).find((line) => {
    if (line.length > 300 || old?.has(line) === true) return false
    const comment = COMMENT.exec(line)?.[1]
    return comment !== undefined && OMISSIONS.some((pattern) => pattern.test(comment))
  })
}

/** Comments of a text; of Python only real ones, since a string may hold such a line. */
function commentLines(text: string, language: string): readonly string[] {
  const lexing = language === 'python' ? lexPython(text) : undefined
  if (lexing !== undefined && lexing.fault === undefined)
    return lexing.comments.map((comment) => comment.trim())
  return text.split('\n').map((line) => line.trim())
}
