// What may stand round a reply without changing it, and what breaks one. Each change is drawn from a seed, so that it can be had again.

/** A source of numbers from 0 up to 1. */
export type Random = () => number

/** Mulberry32: enough for choosing, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Change = (reply: string, random: Random) => string

const DRAFT = 'First a draft:\n```python\nprint(0)\n```\nNo, <solution> is not it.'

/** The program stays the same. */
export const HARMLESS: Readonly<Record<string, Change>> = {
  'CRLF line ends': (reply) => reply.replace(/\r?\n/g, '\r\n'),
  'a byte order mark': (reply) => `\ufeff${reply}`,
  'empty lines round it': (reply) => `\n\n${reply}\n\n\n`,
  'thoughts before it': (reply) => `<think>\n${DRAFT}\n</think>\n\n${reply}`,
  'thoughts in brackets before it': (reply) => `[THINK]${DRAFT}[/THINK]\n${reply}`,
  'a mark that ends the turn': (reply) => `${reply}\n<|im_end|>`,
  'tags in odd case': (reply) => reply.replace(/^([ \t]*)<(\/?)(solution|execute)>/gm, oddCase),
}

/** Nothing is thrown; what the program is, nobody can say. */
export const HOSTILE: Readonly<Record<string, Change>> = {
  'cut at its end': (reply, random) => reply.slice(0, at(reply, random)),
  'cut at its start': (reply, random) => reply.slice(at(reply, random)),
  'a piece taken out': (reply, random) => {
    const [from = 0, to = 0] = [at(reply, random), at(reply, random)].sort((a, b) => a - b)
    return reply.slice(0, from) + reply.slice(to)
  },
  'a piece twice': (reply, random) => {
    const from = at(reply, random)
    return reply.slice(0, from + 200) + reply.slice(from)
  },
  'fences twice': (reply) => reply.replace(/^[ \t]*(?:`{3}|~{3}).*$/gm, '$&\n$&'),
  'fences of other lengths': (reply, random) =>
    reply.replace(/`{3,}/g, () => '`'.repeat(2 + Math.floor(random() * 4))),
  'tags lost': (reply, random) => reply.replace(/<\/?\w+>/g, (tag) => (random() < 0.5 ? '' : tag)),
  'lone carriage returns': (reply, random) => reply.replace(/\n/g, () => (random() < 0.3 ? '\r' : '\n')),
  'half a character': (reply, random) => {
    const from = at(reply, random)
    return `${reply.slice(0, from)}\ud83d\0${reply.slice(from)}`
  },
}

const at = (text: string, random: Random): number => Math.floor(random() * (text.length + 1))

const oddCase = (_: string, indent: string, slash: string, name: string): string =>
  `${indent}<${slash}${name.charAt(0).toUpperCase()}${name.slice(1, -1)}${name.slice(-1).toUpperCase()}>`
