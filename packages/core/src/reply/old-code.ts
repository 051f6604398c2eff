// Whether a reply shows a block as the code that was there before, and not as its answer.
import type { Judged } from './judge.js'

const OLD =
  '(?:old|original|previous|earlier|prior|former|buggy|broken|faulty|wrong|incorrect|bad|failing|flawed|problematic|existing|current|initial)'
const NOUN =
  '(?:code|versions?|implementation|programs?|functions?|methods?|class|solution|attempt|approach|draft|block|snippet|script|files?|answer|submission|one|try|logic|line|lines|part)'
const OF = String.raw`(?:(?:the|your|my|our|this|that|an?|as|with|is|was|here)\s+|here(?:'s|’s)\s+)*`
/** A label and nothing else. */
const LABELS: readonly RegExp[] = [
  new RegExp(
    String.raw`^${OF}(?:(?:very|most)\s+)?${OLD}(?:ly)?(?:[\s,/-]+(?:${OLD}|python|javascript|typescript)){0,3}$`,
  ),
  new RegExp(
    String.raw`^${OF}(?:${OLD}(?:ly)?[\s,/-]+(?:and\s+)?){1,3}(?:\S+\s+){0,2}${NOUN}(?:\s+(?:was|is|were|would be|looked like|used to (?:be|look like)|read|looks like|(?:you|i|we) (?:had|sent|gave|posted|shared|wrote|have)(?: me)?|that (?:was|is) there|(?:kept |only |just )?(?:for|as)(?: a)? (?:reference|comparison)|which .*|that (?:fails|failed|crashes|crashed).*|from .*|with (?:the|its) (?:bug|error|problem|mistake)s?|this|it)){0,3}$`,
  ),
  /^(?:(?:the )?code )?before(?:\s+(?:the|this|that|my|your|any|this|these)?\s*(?:fix|change|edit|patch|update|refactor\w*|modification|correction|repair)e?s?)?$/,
  /^(?:previously|formerly|originally|initially|until now|earlier|(?:don't|don’t|do not|never) (?:do|use|write) (?:this|that|it)|not (?:this|like this)|instead of(?: this| that| writing)?|rather than(?: this| that)?|avoid(?: this)?|wrong way|bad example)(?:[\s,]+(?:it|this|that|you|the code|we|i)\s+(?:was|had|were|looked like(?: this)?|read|wrote)(?:\s+this)?)?$/,
  /^(?:what )?(?:you|we|i) (?:had|sent|wrote|posted|gave(?: me)?)(?: (?:this|before|earlier|previously|originally|was|is))*$/,
  /^(?:it|this|that|the code|the (?:function|program|method|class)) (?:was|used to be|looked like(?: this)?|had been|read)(?: (?:this|previously|before|originally|earlier|wrong|broken|buggy))*$/,
  new RegExp(
    String.raw`^${OF}(?:python |javascript )?${NOUN} (?:(?:that |which )?(?:you|i|we) (?:had|sent|gave|posted|shared|wrote)(?: me)?|with (?:the|its|a) (?:bug|error|problem|mistake|fault)s?|before .*|used to (?:be|look like))(?:\s+(?:was|is|this|before|it))*$`,
  ),
  new RegExp(`^your (?:own |last |first |python )?${NOUN}(?: was| is)?$`),
  new RegExp(`^(?:my|your) (?:first|last) ${NOUN}(?: was| is)?$`),
  new RegExp(`^(?:this|that|the following)(?: ${NOUN})? (?:is|was) (?:what (?:was|is) )?${OLD}$`),
  /^(?:here|this|that) (?:was|is) (?:the|your|my) (?:bug|problem|error|mistake|fault|issue)(?: in .*)?$/,
  /^before (?:the|this|that|my|your) \w+ (?:it|this|that|the \w+) (?:was|looked|read|had)(?: like)?(?: this)?$/,
  /^(?:don't|don’t|do not|never) (?:do|use|write|run) (?:this|that|it)(?: one| version| code)?$/,
  /^(?:which|that|this|it) (?:fails|failed|is wrong|was wrong|is broken|was broken|is incorrect|was incorrect|has (?:the|a) bug|had (?:the|a) bug|crashes|crashed|does not work|doesn't work|did not work|didn't work)$/,
]
const NEW =
  /\b(?:fix(?:ed|es)?|corrected|new|updated?|improved?|replac\w+|revised|repaired|rewritten|final|right|working|better|now)\b/

/** True when the prose before a block, or its first comment, says that it is the old code, a wrong one, a draft. */
export function isOldCode({ intro, code }: Pick<Judged, 'intro' | 'code'>): boolean {
  const comment = /^\s*(?:#+|\/\/+|--)\s*(.*)$/m.exec(
    code.split('\n').find((line) => line.trim() !== '') ?? '',
  )?.[1]
  if (
    comment !== undefined &&
    /^\W*(?:before|old|original|previous|buggy|broken|wrong|incorrect)\b/i.test(comment)
  )
    if (isOldLabel(comment)) return true
  for (const line of intro.split('\n').reverse()) {
    if (line.trim() === '' || isPath(line)) continue
    if (isIntroduction(line)) return isOldLabel(line)
    if (!/[.!?][*_\s]*$/.test(line) && wordsOf(line) <= 6 && isOldLabel(line)) return true
  }
  return false
}

/** A heading, a line in bold, or one that ends in a colon: what decides for the block below. */
const isIntroduction = (line: string): boolean =>
  /^[\s>]*#{1,6}\s/.test(line) || /^[\s>]*(?:\*\*|__).*(?:\*\*|__):?\s*$/.test(line) || /:[*_\s]*$/.test(line)

const isPath = (line: string): boolean => /^[\s>*_`#]*[\w./-]+\.\w{1,5}[\s*_`:]*$/.test(line)

function isOldLabel(line: string): boolean {
  const bare = line
    .toLowerCase()
    .replace(/\([^)]{0,80}\)/g, ' ')
    .replace(/`[^`]{0,80}`/g, ' it ')
    .replace(/^[\s>]*(?:[-*+]\s+|\d{1,3}[.)]\s+)?/, '')
    .replace(/[*_#"❌✗✘🔴]+/gu, ' ')
  const clause = bare
    .split(/[.!?;,]\s|\s[—–-]\s/)
    .map((part) => part.replace(/^[\s:.,'"]+|[\s:.,'"]+$/g, '').replace(/\s+/g, ' '))
    .filter(
      (part) =>
        part !== '' &&
        !/^(?:kept |only |just |given |shown )?(?:for|as)(?: a)? (?:reference|comparison|completeness|context)$/.test(
          part,
        ),
    )
    .at(-1)
  return (
    clause !== undefined &&
    (clause.startsWith('before') || !NEW.test(clause)) &&
    LABELS.some((pattern) => pattern.test(clause))
  )
}

const wordsOf = (line: string): number => line.trim().split(/\s+/).length
