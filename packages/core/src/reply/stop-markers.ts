// Marks with which a model ends its turn. A server that does not take them out leaves them in the reply's text.

/** As they stand in the vocabularies of usual models, and `<end_code>` of smolagents. */
const NAMES = [
  '<end_code>',
  '<end_action>',
  '<end_of_turn>',
  '<eos>',
  '</s>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|eot|>',
  '<|end|>',
  '<|return|>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|end_of_turn|>',
  '<|END_OF_TURN_TOKEN|>',
  '<｜end▁of▁sentence｜>',
]
/** A tag of these languages too: struck-out text. */
const STRIKES = new Set(['html', 'xml', 'jsx', 'tsx', 'markdown', 'php', 'svg', 'vue'])
const STRIKE = '</s>'

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Source of a pattern for one stop marker, without groups. */
export const STOP_MARKER = `(?:${NAMES.map(escapeRegExp).join('|')})`

const ONLY = new RegExp(`^[ \\t]*${STOP_MARKER}[ \\t]*$`)

/** True for a stop marker and nothing else. */
export const isStopMarker = (text: string): boolean => ONLY.test(text)

/** `answer` without the stop markers at its very end; the same text when there are none. */
export function withoutStopMarkers(answer: string, language: string): string {
  let body = answer.trimEnd()
  let left = answer
  for (;;) {
    const marker = NAMES.find((name) => body.endsWith(name))
    if (marker === undefined || (marker === STRIKE && STRIKES.has(language))) return left
    body = body.slice(0, -marker.length)
    left = body
    body = body.trimEnd()
  }
}
