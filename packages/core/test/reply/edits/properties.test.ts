// Any files and any edits: what is rendered, found and applied is what was meant. Any text: nothing throws, nothing changes
// without need, and the work is bounded.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../../src/repair/unified-diff.js'
import { applyEdits } from '../../../src/reply/edits/apply-edits.js'
import { extractEdits } from '../../../src/reply/edits/extract-edits.js'
import { readingOf } from '../../../src/reply/edits/search-replace.js'
import { extractCandidate } from '../../../src/reply/extract-candidate.js'
import { apply, block, edited, outcome } from './edit-text.js'

const line = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    '    return 1',
    '\tdeep',
    '}',
    '=======',
    '```',
    '# Title',
    '- item',
    '+ more',
    '-- old',
    '@@ a',
    '<tag>',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, '')),
)
const content = fc.array(line, { minLength: 1, maxLength: 14 })
const path = fc.constantFrom('a.py', 'src/b.ts', 'docs/c.md')

/** Two versions of a file, by what is done to each of its lines. */
const versions = fc
  .array(fc.record({ line, now: fc.option(fc.array(line, { maxLength: 2 }), { nil: undefined, freq: 2 }) }), {
    minLength: 1,
    maxLength: 14,
  })
  .map((lines) => ({
    before: lines.map((one) => one.line),
    after: lines.flatMap((one) => one.now ?? [one.line]),
  }))
const whole = (lines: readonly string[]): string => lines.map((one) => `${one}\n`).join('')
const isMark = (text: string): boolean => /^\s*(?:[<>]{5,9}|[-+]{5,9})/.test(text)

/** The smallest block that says it all: from the first line that differs to the last, with as much around as makes it unique. */
function blockFor(
  before: readonly string[],
  after: readonly string[],
): { search: string[]; replace: string[] } {
  const reading = readingOf(before, after)
  const first = reading.findIndex(({ mark }) => mark !== ' ')
  const last = reading.length - reading.findLastIndex(({ mark }) => mark !== ' ') - 1
  for (let around = 1; ; around++) {
    const from = Math.max(0, first - around)
    const end = Math.max(0, last - around)
    const search = before.slice(from, before.length - end)
    const fits = before.filter((_, at) =>
      search.every((one, index) => before[at + index]?.trimEnd() === one.trimEnd()),
    )
    if (fits.length === 1 || (from === 0 && end === 0))
      return { search, replace: after.slice(from, after.length - end) }
  }
}

describe('what was meant comes out', () => {
  test('as a search/replace block', () => {
    const property = fc.property(
      versions,
      path,
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      ({ before, after }, name, end, isOpen) => {
        const { search, replace } = blockFor(before, after)
        fc.pre(
          before.join('\n') !== after.join('\n') &&
            search.some((one) => one.trim() !== '') &&
            ![...before, ...after].some(isMark),
        )
        const text = (lines: readonly string[]): string =>
          whole(lines)
            .replaceAll('\n', end)
            .slice(0, isOpen ? -end.length : undefined)
        // The line ends of a single line without one cannot be known.
        fc.pre(
          !isOpen || (before.at(-1) !== '' && after.at(-1) !== '' && after.length > 0 && before.length > 1),
        )
        const files = { [name]: text(before), 'other.py': 'y = 1\n' }
        const found = apply(files, edited(name, block(whole(search), whole(replace), 9)))
        // Lines that would be added again beside themselves, and dots that stand for code, are judged, not applied.
        if (found.status === 'applied' && found.warnings.includes('already-applied')) {
          expect(readingOf(search, replace).filter(({ mark }) => mark === '-')).toEqual([])
          expect(found.files).toEqual(files)
          return
        }
        if (found.reason === 'omission-placeholder') return
        expect(found.reason).toBeUndefined()
        expect(found.files).toEqual({ ...files, [name]: text(after) })
      },
    )
    fc.assert(property, { numRuns: 1500 })
  })

  test.each([
    ['a patch', (patch: string) => patch],
    ['a patch in a fence', (patch: string) => `Here:\n\n\`\`\`\`\`diff\n${patch}\`\`\`\`\`\n`],
    [
      'a patch with wrong counts',
      (patch: string) =>
        `\`\`\`\`\`diff\n${patch.replace(/^@@ -(\d+)\S* \+(\d+)\S* @@$/gm, '@@ -$1,77 +$2,99 @@')}\`\`\`\`\`\n`,
    ],
  ])('as %s, of several files', (form, render) => {
    const property = fc.property(versions, versions, fc.boolean(), (one, other, isOpen) => {
      const open = (text: string): string =>
        isOpen && text.endsWith('\n') && !text.endsWith('\n\n') && text !== '\n' ? text.slice(0, -1) : text
      const before = { 'a.py': open(whole(one.before)), 'src/b.ts': whole(other.before) }
      const after = { 'a.py': whole(one.after), 'src/b.ts': open(whole(other.after)), 'new.md': 'new\n' }
      const odd = form.includes('counts') ? /^(?:--|\+\+|@@|\\|diff |Index|\*\*\*|)/ : /^\\/
      fc.pre(
        !form.includes('counts') ||
          ![...one.before, ...one.after, ...other.before, ...other.after].some(
            (text) => odd.exec(text)?.[0] !== '' || text === '',
          ),
      )
      const reply = render(unifiedDiff(before, after))
      const found = apply(before, reply)
      if (found.status === 'applied' && found.warnings.includes('already-applied')) {
        const { edits } = extractEdits(reply, { files: before })
        const readings = edits.flatMap(({ hunks }) => hunks.flatMap((one) => one.readings))
        expect(readings.some((lines) => lines.every(({ mark }) => mark !== '-'))).toBe(true)
        return
      }
      if (
        found.reason === 'omission-placeholder' ||
        (form.includes('counts') && found.reason === 'ambiguous')
      )
        return
      expect(found.reason).toBeUndefined()
      expect(found.files).toEqual(after)
    })
    fc.assert(property, { numRuns: 500 })
  })

  test('with old lines that are nowhere only where the new ones tell that they stand there already', () => {
    const property = fc.property(
      content,
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.nat(13),
      fc.integer({ min: 1, max: 3 }),
      (lines, search, from, size) => {
        const replace = lines.slice(from, from + size)
        const placesOf = (wanted: readonly string[], form: (text: string) => string): number =>
          lines.filter((_, at) =>
            wanted.every((one, index) => form(one) === form(lines[at + index] ?? '\n\n')),
          ).length
        fc.pre(replace.length > 0 && ![...lines, ...search].some(isMark))
        fc.pre(search.some((one) => one.trim() !== '') && placesOf(search, (one) => one.trim()) === 0)
        const files = { 'a.py': whole(lines) }
        const found = apply(files, edited('a.py', block(whole(search), whole(replace), 9)))
        expect(found.files).toEqual(files)
        if (found.status === 'failed') return
        const telling = replace.filter((one) => /[\p{L}\p{N}]/u.test(one))
        expect(placesOf(replace, (one) => one)).toBe(1)
        expect(telling.length > 1 || telling.some((one) => search.includes(one))).toBe(true)
      },
    )
    fc.assert(property, { numRuns: 2000 })
  })

  test('a patch makes and deletes files', () => {
    const property = fc.property(content, content, (gone, come) => {
      fc.pre(come.some((one) => /\w/.test(one)) && !come.some((one) => one.includes('...')))
      const [before, after] = [
        { 'gone.py': whole(gone), 'kept.py': 'x\n' },
        { 'come.py': whole(come), 'kept.py': 'x\n' },
      ]
      expect(outcome(before, unifiedDiff(before, after))).toEqual(after)
    })
    fc.assert(property, { numRuns: 300 })
  })
})

const PIECES = [
  '<<<<<<< SEARCH\n',
  '=======\n',
  '>>>>>>> REPLACE\n',
  '<<<<< ORIGINAL\n',
  '>>>>>>>>> UPDATED\n',
  '--- a/a.py\n',
  '+++ b/a.py\n',
  '--- /dev/null\n',
  '+++ /dev/null\n',
  '@@ -1,2 +1,3 @@\n',
  '@@\n',
  '@@ -0,0 +1 @@\n',
  'diff --git a/a.py b/../b.py\n',
  'new file mode 100644\n',
  'rename from a.py\n',
  'rename to __proto__\n',
  '*** Begin Patch\n',
  '*** Update File: a.py\n',
  '*** Add File: constructor\n',
  '*** Delete File: a.py\n',
  '*** Move to: b.py\n',
  '*** End Patch\n',
  '\\ No newline at end of file\n',
  '```\n',
  '```diff\n',
  '````md a.md\n',
  'a.py\n',
  '# a.py\n',
  '+x = 1\n',
  '-x = 1\n',
  ' x = 1\n',
  'x = 1\n',
  '\n',
  '\r\n',
  '\t',
  '    ',
  '\ufeff',
  '\0',
  '\ud83d',
  '"""',
  '... rest unchanged ...\n',
]
const noise = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

describe('any text', () => {
  test('throws nothing, and what fails changes nothing', () => {
    const property = fc.property(
      noise,
      fc.constantFrom<Record<string, string>>(
        {},
        { 'a.py': 'x = 1\n' },
        { 'a.py': 'x = 1\nx = 1', 'b/a.py': '' },
      ),
      (text, files) => {
        const given = structuredClone(files)
        const { edits, problems } = extractEdits(text, { files })
        const applied = applyEdits(files, edits)
        expect(files).toEqual(given)
        for (const { message } of problems) expect(message.length).toBeLessThan(2000)
        if (applied.status === 'applied') {
          for (const name of [...applied.changed, ...applied.deleted])
            expect(
              edits.some((one) => one.path === undefined || [one.path, one.movedTo].includes(name)),
            ).toBe(true)
          return
        }
        expect(applied.files).toEqual(given)
        expect(applied.failure.message.length).toBeLessThan(8000)
      },
    )
    fc.assert(property, { numRuns: 3000 })
  })

  test('as a reply gives every file or a sentence', () => {
    const files = { 'a.py': 'x = 1\n', 'solution.py': 'def f():\n    return 1\n' }
    const finish = fc.constantFrom('stop', 'length')
    const property = fc.property(noise, finish, fc.boolean(), (text, end, hasFiles) => {
      const options = { language: 'python', ...(hasFiles && { files }) }
      const found = extractCandidate({ text, finish: end }, options)
      if (found.status !== 'ok') expect(found.failure.message.length).toBeGreaterThan(20)
      else expect(Object.values(found.candidate.files).every((one) => typeof one === 'string')).toBe(true)
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('without marks holds no edit', () => {
    const prose = fc.array(
      fc.constantFrom(
        'x = 1',
        '---',
        '=======',
        '- a',
        '+ b',
        '```',
        '> quote',
        '<<<<<<< HEAD',
        '>>>>>>> main',
        '',
      ),
      { maxLength: 30 },
    )
    const property = fc.property(prose, (lines) => {
      expect(extractEdits(lines.join('\n'), { files: { 'a.py': 'x = 1\n' } })).toEqual({
        edits: [],
        problems: [],
        warnings: [],
      })
    })
    fc.assert(property, { numRuns: 500 })
  })
})

/** Time that this process has worked: a busy machine makes it wait, not work more. */
const cpuMs = (): number => process.cpuUsage().user / 1000

describe('ten megabytes', () => {
  const size = 10_000_000
  const equal = `${'a'.repeat(9)}\n`
  const same = equal.repeat(size / 10)
  const other = Array.from({ length: size / 20 }, (_, index) => `value_${index} = ${index}`.padEnd(19)).join(
    '\n',
  )
  test.each<[string, string, string, string]>([
    [
      'equal lines, a long search that almost fits',
      same,
      block(`${equal.repeat(size / 40)}b\n`, 'c\n'),
      'no-match',
    ],
    ['equal lines, a search that fits everywhere', same, block(equal + equal, 'c\n'), 'ambiguous'],
    [
      'equal lines, further in',
      `  ${equal}`.repeat(size / 12),
      block(`${equal.repeat(1000)}b\n`, 'c\n'),
      'no-match',
    ],
    ['other lines, a search that is nowhere', other, block('value_77 = 78\n', 'c\n'), 'no-match'],
    ['one line', 'a'.repeat(size), block('b\n', 'c\n'), 'no-match'],
  ])('of %s take less than two seconds', (_, text, change, reason) => {
    const start = cpuMs()
    expect(outcome({ 'a.py': text }, edited('a.py', change))).toBe(reason)
    expect(cpuMs() - start).toBeLessThan(2000)
  })

  test.each([
    ['heads', '<<<<<<< SEARCH\n'],
    ['heads of all lengths', '<<<<< SEARCH\n<<<<<< SEARCH\n<<<<<<< SEARCH\n'],
    ['separators', '=======\n'],
    ['blocks', block('a', 'b')],
    ['heads of patches', '--- a/a\n+++ b/a\n'],
    ['hunks', '@@ -1,9 +1,9 @@\n-a\n+b\n'],
    ['fences', '```diff\n-a\n'],
    ['marks', '@@'],
    ['spaces', ' '],
  ])('of %s in a reply are read to their end', (_, piece) => {
    const text = `a.py\n\`\`\`\n<<<<<<< SEARCH\n${piece.repeat(1_000_000 / piece.length)}`
    const start = cpuMs()
    const { edits } = extractEdits(text)
    applyEdits({ 'a.py': 'x\n' }, edits)
    expect(cpuMs() - start).toBeLessThan(2000)
  })
})
