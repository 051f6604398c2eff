// How a comment sounds that stands for left-out code: surely, or only when code is gone as well.

const DOTS = String.raw`(?:\.{2,}|…)`
const CODE = String.raw`\b(?:code|functions?|methods?|class(?:es)?|implementations?|file|imports?|logic|scripts?|programs?|modules?|definitions?|helpers?|tests?|body|bodies|contents?|stuff|lines|parts?|sections?|everything|statements?|constants?|variables|routes|handlers|attributes|fields|properties|entries|cases|branches|snippet|answer|response|version|pages?|document|markup|styles|rules|config(?:uration)?|settings|queries)\b`
const LEFT = String.raw`\b(?:rest|remaining|remainder|existing|previous|other|unchanged|omitted|same|original|earlier|above)\b`
const LEFT_SURELY = String.raw`\b(?:rest|remaining|remainder|existing|previous|original|other)\b`
const BREVITY = String.raw`(?:\bfor (?:brevity|clarity|space|simplicity|conciseness|readability)\b)`
const STAYS = String.raw`(?:\b(?:unchanged|untouched|unmodified|omitted|elided|truncated|snipped|intact|not shown|left out|not repeated|as (?:is|before|above|it was|they were|it is|they are))\b|\bthe same\b|\bsame as (?:before|above|earlier|previous(?:ly)?)\b|${BREVITY})`
const HERE = String.raw`\b(?:go(?:es)? )?(?:here|below|as before)\b`
const ARTICLES = '(?:(?:the|your|all|any|of|and|with|plus|my|our|everything|anything|todo:?) )*'
const LEAD = `^${ARTICLES}`
/** Told to whoever puts the file together, unless a program can do it too. */
const TOLD = `^(?:(?:add|insert|put|paste|include|copy|keep|place|restore|continue with|todo:?) )?${ARTICLES}`
const PROGRAM = String.raw`\b(?:code|functions?|methods?|class(?:es)?|implementations?|imports?|logic|scripts?|programs?|modules?|definitions?|helpers?|tests?)\b`
/** A subject that is nothing but the code around: `the rest of the functions`, `everything else`. */
const PROGRAM_SUBJECT = String.raw`${LEFT_SURELY}\s+(?:of\s+)?(?:\w+\s+){0,3}?(?:${PROGRAM}\s*(?:(?:of|in)\s+(?:the\s+)?)?){1,2}`
const SUBJECT = String.raw`(?:${PROGRAM_SUBJECT}|\b(?:rest|remaining|remainder|other|else)\b\s+(?:of\s+)?(?:\w+\s+){0,3}?(?:${CODE}\s*(?:(?:of|in)\s+(?:the\s+)?)?){1,2}|(?:rest|remainder|everything else|all else)(?:\s+of\s+(?:it|this))?)`
const END = String.raw`(?:[\s,;:]+(?:${STAYS}|${HERE}|and|too|code|exactly|completely|by hand|from \w+(?: \w+)?|(?:in|of) (?:the|this) \w+))*$`

const STRONG: readonly RegExp[] = [
  new RegExp(String.raw`^${DOTS}.*(?:${LEFT_SURELY}|${STAYS}|\bsame\b)`),
  new RegExp(
    String.raw`${LEAD}(?:rest|remaining|remainder|existing|previous|original)\b(?: \S+){0,3}? ?${CODE}\s*${DOTS}$`,
  ),
  new RegExp(
    String.raw`${LEAD}${SUBJECT}\s*(?:(?:is|are|was|were|remains?|stays?|left|kept|has been|have been|goes|will (?:be|remain|stay))\s+)*(?:exactly\s+|completely\s+)?(?:${STAYS}|${HERE})${END}`,
  ),
  new RegExp(String.raw`${TOLD}${PROGRAM_SUBJECT}\s*(?:${STAYS}|${HERE})${END}`),
  new RegExp(String.raw`${TOLD}(?:rest|remainder) of (?:the |your |this |my )?(?:\w+ )?${CODE}$`),
  /^(?:existing|original|previous|remaining) (?:code|implementation|logic)$/,
  new RegExp(
    String.raw`^(?:the |your |all |other )*(?:\w+ )?(?:code|functions?|methods?|implementations?|logic|body|definitions?|class(?:es)?|helpers?|imports?|tests?) (?:is |are |was |were |remains? |stays? )?(?:here )?(?:omitted|elided|truncated|snipped|not shown|left out|unchanged|untouched)(?: here)?(?: ${BREVITY})?$`,
  ),
  new RegExp(
    String.raw`^(?:\S+ ){0,5}(?:omitted|elided|truncated|snipped|shortened|abbreviated|left out|not shown|not repeated)(?: \S+){0,2} ${BREVITY}`,
  ),
]

const WEAK: readonly RegExp[] = [
  new RegExp(`^${DOTS}`),
  /^(?:un(?:changed|modified|touched)|snip(?:ped)?|omitted|elided|truncated|cut|skip(?:ped)?|same|ditto|etc|and so on|and so forth|idem|remaining|rest|continued|to be continued)(?: (?:here|above|below|code))?$/,
  /\b(?:no|without) (?:other |further |more )?(?:changes?|modifications?|edits?)\b|\bnothing (?:else )?(?:changes|changed)\b/,
  /\b(?:code|file|function|class|implementation|list|it|this|rest|program) (?:continues|goes on|carries on|follows)\b/,
  new RegExp(
    String.raw`\b(?:stays?|remains?|is|are|kept|left|keep|leave|unchanged|untouched)\b.{0,20}(?:${STAYS}|\bas it (?:was|is)\b)`,
  ),
  /^(?:the |exactly |all )*same\b.*\b(?:as|like)\b.*\b(?:before|above|earlier|previous(?:ly)?|original|last|given|old)\b/,
  new RegExp(`(?:${STAYS})$`),
  /\b(?:as|like) (?:before|above|previously|earlier|in the (?:original|previous|last|old|first)\b.*)$/,
  /^unchanged\b|^(?:the )?rest$|^(?:see|copy|as|same|take)\b.*\b(?:above|below|before|previous|original|earlier|old)\b|^continue with\b/,
  /\b(?:defined|implemented|shown|given|written|provided|listed) (?:as )?(?:above|before|earlier|previously|elsewhere)\b/,
  new RegExp(`${TOLD}(?:${LEFT} )+(?:of )?(?:\\S+ ){0,3}?${CODE}(?: \\S+){0,3}$`),
  new RegExp(`${TOLD}(?:\\S+ ){0,2}${CODE} (?:goes )?here$`),
]

/** `unchanged`, `…`, `[snip]`: a mark and no sentence. */
const MARK = new RegExp(
  `^(?:${DOTS}|(?:un(?:changed|modified|touched)|snip(?:ped)?|omitted|elided|truncated|same|etc|(?:same )?as (?:before|above|is)))$`,
)

/** How much a comment's words speak for left-out code. */
export type OmissionSign = 'strong' | 'weak' | 'none'

/** @param words - the comment without what makes it a comment */
export function omissionSign(words: string): OmissionSign {
  const plain = plainWords(words)
  if (plain === '') return 'none'
  if (STRONG.some((pattern) => pattern.test(plain))) return 'strong'
  // What trails off counts like the words before it.
  const core = plain.replace(new RegExp(`\\s*${DOTS}$`), '')
  return WEAK.some((pattern) => pattern.test(plain) || pattern.test(core)) ? 'weak' : 'none'
}

/** True for dots, `unchanged` and the like with no word beside them. */
export const isMark = (words: string): boolean => MARK.test(plainWords(words))

/** True for dots and nothing else. */
export const isDots = (words: string): boolean => new RegExp(`^${DOTS}$`).test(plainWords(words))

/** Small letters, without brackets, rules and final marks; dots in front and at the end stay. */
function plainWords(words: string): string {
  return words
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[[\](){}<>*_`"=~#|]+|-{2,}|—|–/g, ' ')
    .replace(/([^.…])[.!:;,]$/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/(?<![.\w])\.(?: \.)+/g, '...')
    .trim()
    .replace(/([^.…])[.!:;,]$/g, '$1')
}
