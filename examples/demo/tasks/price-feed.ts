// Task (a): a supplier's price feed with a row that has no price.
import { readFileSync } from 'node:fs'
import { exitsCleanly, pythonTests } from '@mendloop/core'
import { priceFeedRecount } from '../checks/price-feed-recount.js'
import { type DemoTask, jsonOutput } from './demo-task.js'

const GOAL = `\
Write prices.py. It is run as

    python3 prices.py price-feed.csv summary.json

and reads a supplier price feed (CSV, UTF-8, header in the first line, columns sku, product, category,
supplier, unit_price, stock). It uses the standard library only.

It has a function parse_price(text) that returns a price in whole cents as an int:
- a price is in euros and may carry "€" or "EUR" before or after the number;
- a "." or "," that is followed by exactly two digits at the end of the number is the decimal mark; every other
  "." or "," groups thousands; without a decimal mark the price is whole euros;
- anything else ("n/a", an empty cell, a negative number) is no price: the function returns None.

It writes summary.json:
- "categories": for each category "products" (number of rows with a price), "stock_value" (sum of price times stock)
  and "cheapest" with "sku" and "price"; of equal prices the first in the file;
- "skipped": in the order of the file, each row without a price with "line" (the header is line 1), "sku" and
  "unit_price" as it stands in the file.
Money in summary.json is a string of euros with two decimals, such as "1249.00".

The first lines of price-feed.csv:
`

const TESTS = `\
from prices import parse_price

def test_english_style():
    assert parse_price("€1,249.50") == 124950

def test_plain_style():
    assert parse_price("EUR 23.39") == 2339

def test_no_price():
    assert parse_price("n/a") is None
`

interface Summary {
  readonly categories: Readonly<
    Record<string, { products: number; stock_value: string; cheapest: { sku: string; price: string } }>
  >
  readonly skipped: readonly { line: number; sku: string; unit_price: string }[]
}

/** Makes the task from the feed in `examples/data`. */
export function priceFeed(): DemoTask {
  const bytes = readFileSync(new URL('../../data/price-feed.csv', import.meta.url))
  const feed = bytes.toString('utf8')
  const head = feed.split('\n').slice(0, 4)
  return {
    letter: 'a',
    id: 'price-feed',
    title: 'A price feed',
    question:
      'What is the stock worth in each category, and what is cheapest there? ' +
      'Three suppliers write their prices in three ways, and one row has none; it has to be reported.',
    inputs: [{ name: 'price-feed.csv', sizeBytes: bytes.length, head }],
    task: {
      goal: `${GOAL}\n${head.join('\n')}\n`,
      language: 'python',
      entry: 'prices.py',
      files: { 'price-feed.csv': bytes },
      args: ['price-feed.csv', 'summary.json'],
      verify: [exitsCleanly(), priceFeedRecount(feed), pythonTests(TESTS, { name: 'parse_price tested' })],
      outputs: ['summary.json'],
      limits: { wallMs: 20_000 },
    },
    answer(result) {
      const summary = jsonOutput<Summary>(result, 'summary.json')
      if (summary === undefined) return []
      const categories = Object.entries(summary.categories).map(
        ([name, { products, stock_value, cheapest }]) =>
          `${name.padEnd(9)}${String(products).padStart(3)} products ${stock_value.padStart(11)} €` +
          `   cheapest ${cheapest.price.padStart(6)} € (${cheapest.sku})`,
      )
      const skipped = summary.skipped.map(
        ({ line, sku, unit_price }) => `skipped line ${line}: ${sku} has the price "${unit_price}"`,
      )
      return [...categories, ...skipped]
    },
  }
}
