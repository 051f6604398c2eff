import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pages, problems, withQuotes } from '../quotes.mjs'

test.each(pages())('the code of %s is that of examples which are compiled and run', (page) => {
  expect(problems(page, readFileSync(page, 'utf8'))).toEqual([])
})

test('a quote that differs from its file is found and mended', () => {
  const old = '<!-- quote: examples/quickstart.ts -->\n```ts\nconsole.log(1)\n```\n'
  expect(problems('page', old)).toHaveLength(1)
  expect(problems('page', withQuotes(old))).toEqual([])
})

test('code that quotes no file is found', () => {
  expect(problems('page', '```ts\nnew Thing()\n```\n')).toEqual([
    'page: 1 code blocks, of which 0 quote an example',
  ])
})
