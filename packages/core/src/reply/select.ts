// Which blocks of a reply make the program, or why none does.
import { languageOfPath } from '../contract/language-names.js'
import type { ExtractOptions } from './extraction.js'
import type { Judged } from './judge.js'
import { cutOff, type NoCandidate, noCode, wrongLanguage } from './no-candidate.js'
import { isOldCode } from './old-code.js'
import { chooseProgram, defines, withoutAside } from './roles.js'
import { shownDefinitions } from './shown-definitions.js'
import { isTest, isTestName } from './test-code.js'

/** What one extraction works with. */
export interface ExtractContext {
  /** Canonical id of the asked language. */
  readonly language: string
  readonly options: ExtractOptions
  /** True when the reply was stopped before its end. */
  readonly cut: boolean
}

/** The blocks to run. */
export interface Selection {
  /** Blocks that make up the entry program, in order; empty when only labelled files were found. */
  readonly program: readonly Judged[]
  /** Blocks with a path, in order. */
  readonly labelled: readonly Judged[]
  readonly warnings: readonly string[]
}

/** Chooses among judged blocks. */
export function selectBlocks(all: readonly Judged[], context: ExtractContext): Selection | NoCandidate {
  const { options, language } = context
  const pick = options.pick ?? 'best'
  const filled = all.filter(({ is }) => is !== 'empty')
  // A patch, a transcript or shell under the path of a program is not that program.
  const isLabelled = ({ block, pathFrom, is }: Judged): boolean =>
    block.path !== undefined &&
    pathFrom === 'label' &&
    (is === language || languageOfPath(block.path) !== language)
  const ofLanguage = filled.filter(({ is }) => is === language)
  const current = new Set(withoutAside(ofLanguage, isOldCode))
  const isCurrent = (one: Judged): boolean => one.is !== language || current.has(one)
  const labelled = pick === 'best' ? filled.filter((one) => isLabelled(one) && isCurrent(one)) : []
  const pool = poolOf(filled, language)
  const broken = brokenBlocks(all, context)
  const broke = new Set(broken)
  const sound = pool.filter((one) => !broke.has(one))
  const lost = lostBlock(broken, sound, all, context)
  if (lost !== undefined)
    return cutOff(context.cut ? 'reply-cut' : 'block-unclosed', language, lost.block.line)
  const warnings = broken.length > 0 ? [context.cut ? 'reply-cut' : 'fence-unclosed'] : []
  if (labelled.length > 0) {
    const files = new Set(labelled)
    const unlabelled = sound.filter((one) => !files.has(one))
    // Beside a labelled program, old code and tests are no program either.
    const hasProgram = labelled.some((one) => one.is === language && !isTest(one, labelled))
    const rest = hasProgram
      ? unlabelled.filter((one) => !isOldCode(one) && !isTest(one, [...labelled, ...unlabelled]))
      : unlabelled
    const { chosen, warnings: more } = chooseProgram(rest, options.entryPoint)
    return { program: chosen, labelled, warnings: [...warnings, ...more] }
  }
  if (sound.length === 0) return whyNone(all, filled, context)
  if (pick === 'best') {
    const { chosen, warnings: more } = chooseProgram(sound, options.entryPoint)
    return { program: chosen, labelled, warnings: [...warnings, ...more] }
  }
  const picked = pick === 'all' ? sound : sound.slice(...(pick === 'first' ? [0, 1] : [-1]))
  return { program: picked, labelled, warnings }
}

/** Blocks of the asked language: by their tag if there are such, else by their look, else even against their tag. */
function poolOf(filled: readonly Judged[], language: string): readonly Judged[] {
  const asked = filled.filter(({ is }) => is === language)
  const tagged = asked.filter(({ by }) => by === 'tag')
  const looking = asked.filter(({ by }) => by === 'look')
  if (tagged.length === 0) return looking.length > 0 ? looking : asked
  if (tagged.some(defines)) return tagged
  // "Untagged program, tagged example": the example gives itself away by using what the program defines.
  const used = looking.filter((one) =>
    [...(one.outline?.defines ?? [])].some((name) =>
      tagged.some(({ outline }) => outline?.mentions.has(name)),
    ),
  )
  return used.length > 0 ? asked.filter((one) => one.by === 'tag' || used.includes(one)) : tagged
}

/** Blocks whose end is missing: cut with the reply, or not closed and not complete. */
function brokenBlocks(all: readonly Judged[], { cut, language }: ExtractContext): readonly Judged[] {
  const last = all.findLast((one) => one.is !== 'empty' || isOfLanguage(one, language))
  return all.filter((one) => {
    const { block, warnings, is, parses } = one
    if (block.closed) return false
    const atEnd = one === last && !warnings.includes('fence-reopened')
    return (cut && atEnd) || (is === language && (parses === false || endsWithinName(one, all)))
  })
}

/** True when the last word is the beginning of a name that `all` define, and stands nowhere else. */
function endsWithinName({ code }: Judged, all: readonly Judged[]): boolean {
  const word = /[A-Za-z_]\w{2,}$/.exec(code.trimEnd())?.[0]
  if (word === undefined) return false
  const isBeginning = all.some(({ outline }) =>
    [...(outline?.defines ?? [])].some((name) => name !== word && name.startsWith(word)),
  )
  const places = (text: string): number => text.match(new RegExp(`\\b${word}\\b`, 'g'))?.length ?? 0
  return isBeginning && all.reduce((sum, one) => sum + places(one.code), 0) === 1
}

/** By its tag, when nothing of it has come yet. */
const isOfLanguage = ({ is, block }: Judged, language: string): boolean =>
  is === language || (is === 'empty' && block.language === language)

/** The broken block without which there is no whole program, if there is one. */
function lostBlock(
  broken: readonly Judged[],
  sound: readonly Judged[],
  all: readonly Judged[],
  { options, cut, language }: ExtractContext,
): Judged | undefined {
  const pick = options.pick ?? 'best'
  const last = broken.at(-1)
  if (last === undefined || (pick === 'first' && sound.length > 0)) return undefined
  const isFinal = sound.every((one) => all.indexOf(one) < all.indexOf(last))
  if (sound.length === 0 || (pick !== 'best' && (cut || isFinal))) return last
  if (isFinal && isOfLanguage(last, language) && !isAside(last, sound)) return last
  return broken.find((one) => {
    if (cut && one.block.path !== undefined) return true
    return one.is === language && defines(one) && (cut || !sound.some(defines))
  })
}

/** What a line says that introduces code which is no program of its own, and what one says that introduces another. */
const EXAMPLE =
  /\b(?:usage|uses?|examples?|demos?|outputs?|results?|prints|tests?|testing|runs?|running|calls?|calling|execut\w+|verif\w+)\b/i
const REPLACEMENT =
  /\b(?:fix\w*|corrected|new|updat\w+|improve\w*|replac\w+|revis\w+|repair\w*|rewrit\w+|final|better|instead|alternative\w*|change\w*)\b/i

/** What is said beside a program takes fewer lines, or fewer than the program. */
const LINES_ASIDE = 10

/**
 * An example of what the sound blocks define, a test of it or its output: without it the program is whole. One that runs on
 * until it outweighs all of them is none: the reply has lost most of its code, and is asked for again, shorter.
 */
function isAside(one: Judged, sound: readonly Judged[]): boolean {
  const weight = sound.reduce((sum, { code }) => sum + code.length, 0)
  if (one.code.length > weight && one.code.split('\n').length > LINES_ASIDE) return false
  const known = new Set(
    sound.flatMap(({ outline }) => [...(outline?.defines ?? []), ...(outline?.assigns ?? [])]),
  )
  const own = shownDefinitions(one.code)
  const introduction = one.intro.split('\n').findLast((line) => line.trim() !== '') ?? ''
  const isShown = EXAMPLE.test(introduction) && !REPLACEMENT.test(introduction) && sound.some(defines)
  // The same program once more, as far as it has come.
  if (own.some((name) => known.has(name)))
    return isShown && sound.some(({ code }) => code.startsWith(one.code.trimEnd()))
  if (isShown || isTest(one, [...sound, one]) || (own.length > 0 && own.every(isTestName))) return true
  if (own.length > 0) return false
  const words = one.code.replace(/(["'])[^"'\n]*\1/g, '').match(/[A-Za-z_]\w*/g) ?? []
  return one.is !== 'empty' && (words.length === 0 || words.some((word) => known.has(word)))
}

function whyNone(
  all: readonly Judged[],
  filled: readonly Judged[],
  { language, cut }: ExtractContext,
): NoCandidate {
  if (filled.length === 0) {
    if (cut) return cutOff('reply-cut', language, undefined)
    return noCode(all.length === 0 ? 'no-block' : 'empty-block', language)
  }
  const others = filled.filter(({ is }) => is !== 'prose' && is !== 'text' && is !== language)
  return others.length === 0 ? noCode('prose', language) : wrongLanguage(others, language)
}
