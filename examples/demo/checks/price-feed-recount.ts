// Works out the price feed's totals a second time, from the feed itself and in another language.
import type { Verifier } from '@mendloop/core'
import { csvRows } from './csv.js'
import { jsonDifferences } from './json-differences.js'
import { readJsonOutput, verdictOf } from './verdicts.js'

/** A price as cents: the last `.` or `,` with exactly two digits behind it is the decimal mark, others group. */
function cents(text: string): number | undefined {
  const match = /^(?:€|EUR)?\s*(\d[\d.,]*?)(?:[.,](\d{2}))?\s*(?:€|EUR)?$/.exec(text.trim())
  if (match === null) return undefined
  return Number(match[1]?.replace(/[.,]/g, '')) * 100 + Number(match[2] ?? 0)
}

const euros = (amount: number): string => (amount / 100).toFixed(2)

interface Category {
  products: number
  stockCents: number
  cheapest: { sku: string; cents: number }
}

/** What summary.json must hold for this feed. */
function expectedSummary(feed: string): unknown {
  const [, ...rows] = [...csvRows(feed)]
  const categories = new Map<string, Category>()
  const skipped: { line: number; sku: string; unit_price: string }[] = []
  for (const [index, [sku = '', , name = '', , unitPrice = '', stock = '']] of rows.entries()) {
    const price = cents(unitPrice)
    if (price === undefined) {
      skipped.push({ line: index + 2, sku, unit_price: unitPrice })
      continue
    }
    const known = categories.get(name)
    const cheapest =
      known === undefined || price < known.cheapest.cents ? { sku, cents: price } : known.cheapest
    categories.set(name, {
      products: (known?.products ?? 0) + 1,
      stockCents: (known?.stockCents ?? 0) + price * Number(stock),
      cheapest,
    })
  }
  const summaries = [...categories].map(([name, { products, stockCents, cheapest }]) => [
    name,
    {
      products,
      stock_value: euros(stockCents),
      cheapest: { sku: cheapest.sku, price: euros(cheapest.cents) },
    },
  ])
  return { categories: Object.fromEntries(summaries), skipped }
}

/** Passes when summary.json says what a recount of `feed` says. */
export function priceFeedRecount(feed: string): Verifier {
  return {
    name: 'totals recounted',
    visibility: 'visible',
    async verify(context) {
      const output = await readJsonOutput(context, 'summary.json')
      if ('missing' in output) return verdictOf([output.missing])
      return verdictOf(jsonDifferences('summary.json', expectedSummary(feed), output.json))
    },
  }
}
