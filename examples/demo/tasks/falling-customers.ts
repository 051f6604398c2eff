// Task (b): a question to a shop's database; the answer is a table in a new database.
import { readFileSync } from 'node:fs'
import { exitsCleanly, pythonTests } from '@mendloop/core'
import { answerCheck } from '../checks/answer-check.js'
import { inputUnchanged } from '../checks/input-unchanged.js'
import type { DemoTask } from './demo-task.js'

const QUARTERS = ['2025-Q1', '2025-Q2'] as const
const SCHEMA = [
  'customers (id, name, city, joined_on)',
  'products (id, name, category, price_cents)',
  'orders (id, customer_id, ordered_at, status)',
  'order_lines (order_id, product_id, quantity, unit_price_cents)',
]

const GOAL = `\
Write spending.py. It is run as

    python3 spending.py shop.sqlite answer.sqlite 2025-Q1 2025-Q2

and answers from the SQLite database shop.sqlite: which customers spent less in the second quarter than in the
first, and by how much? It uses the standard library only and must not change shop.sqlite.

It creates the new database answer.sqlite with one table
    falling_customers (customer_id INTEGER PRIMARY KEY, name TEXT, before_cents INTEGER, after_cents INTEGER,
                       drop_cents INTEGER)
with one row for each customer whose spending fell from the first quarter named to the second. Spending is the sum of
quantity * unit_price_cents over the lines of all orders that are not cancelled.

It has a function quarter_of(text) that gives the quarter of a moment such as "2025-05-17 10:31:00": "2025-Q2".

On standard output it prints how many customers there are, and then the five with the largest drop, one a line.

The tables of shop.sqlite (orders.ordered_at is text such as "2025-05-17 10:31:00"; orders.status is "paid", "shipped" or
"cancelled"):
`

const TESTS = `\
from spending import quarter_of

def test_first_moment_of_a_quarter():
    assert quarter_of("2025-04-01 00:00:00") == "2025-Q2"

def test_last_moment_of_a_quarter():
    assert quarter_of("2025-03-31 23:59:59") == "2025-Q1"

def test_end_of_year():
    assert quarter_of("2024-12-31 12:00:00") == "2024-Q4"
`

/** Makes the task from the shop in `examples/data`. */
export function fallingCustomers(): DemoTask {
  const shop = readFileSync(new URL('../../data/shop.sqlite', import.meta.url))
  return {
    letter: 'b',
    id: 'falling-customers',
    title: 'A question to a database',
    question:
      'Which customers spent less in the second quarter of 2025 than in the first? ' +
      'The answer is to be a table in a new database, and the shop has to stay as it is.',
    inputs: [{ name: 'shop.sqlite', sizeBytes: shop.length, head: SCHEMA }],
    task: {
      goal: `${GOAL}\n${SCHEMA.map((table) => `    ${table}`).join('\n')}\n`,
      language: 'python',
      entry: 'spending.py',
      files: { 'shop.sqlite': shop },
      args: ['shop.sqlite', 'answer.sqlite', ...QUARTERS],
      verify: [
        exitsCleanly(),
        inputUnchanged('shop.sqlite', shop),
        answerCheck(shop, 'answer.sqlite', QUARTERS),
        pythonTests(TESTS, { name: 'quarter_of tested' }),
      ],
      outputs: ['answer.sqlite'],
      limits: { wallMs: 20_000 },
    },
    answer: ({ attempts }) => (attempts.at(-1)?.execution?.stdout.text ?? '').trim().split('\n').slice(0, 7),
  }
}
