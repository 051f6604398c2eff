import { expect, test } from 'vitest'
import { redactSecrets } from '../../src/feedback/redact-secrets.js'

const letters = (count: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vX6'.repeat(4).slice(0, count)

test.each([
  ['an OpenAI key', `sk-${letters(32)}`],
  ['a project key', `sk-proj-${letters(20)}_${letters(20)}`],
  ['a GitHub token', `ghp_${letters(36)}`],
  ['a fine-grained GitHub token', `github_pat_${letters(22)}_${letters(30)}`],
  ['an AWS key id', 'AKIAABCDEFGHIJKLMNOP'],
  ['a Slack token', 'xoxb-123456789012-abcdefABCDEF'],
  ['a Google key', `AIza${letters(35)}`],
  ['a JSON Web Token', `eyJ${letters(20)}.eyJ${letters(20)}.${letters(24)}`],
  [
    'a private key',
    `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n-----END RSA PRIVATE KEY-----`,
  ],
])('%s is masked wherever it stands', (_name, secret) => {
  expect(redactSecrets(`before ${secret} after`)).toBe('before [redacted] after')
})

test.each([
  [`Authorization: Bearer ${letters(30)}`, 'Authorization: Bearer [redacted]'],
  ['postgres://admin:hunter2@db/x', 'postgres://admin:[redacted]@db/x'],
  ['MY_API_KEY=abc(def)!x', 'MY_API_KEY=[redacted]'],
  ['DB_PASSWORD="two words"', 'DB_PASSWORD="[redacted]"'],
  ["{'STRIPE_SECRET_KEY': 'abcd1234', 'HOME': '/x'}", "{'STRIPE_SECRET_KEY': '[redacted]', 'HOME': '/x'}"],
  ['{"api_key": "abcd1234"}', '{"api_key": "[redacted]"}'],
  ['password: hunter22', 'password: [redacted]'],
  [`AWS_SECRET_ACCESS_KEY=${letters(40)}`, 'AWS_SECRET_ACCESS_KEY=[redacted]'],
])('%j loses the value and keeps the name', (text, expected) => {
  expect(redactSecrets(text)).toBe(expected)
})

test.each([
  "KeyError: 'the one line that matters'",
  'sorted(rows, key=lambda row: row[1])',
  'password: str = getpass()',
  'api_key = os.environ["API_KEY"]',
  'token = tokens[position]',
  'https://example.org:8080/path@2',
  'task-1 risk-assessment-of-everything',
  'the password is wrong',
])('%j is left as it is', (text) => {
  expect(redactSecrets(text)).toBe(text)
})

test('masking twice changes nothing more', () => {
  const text = `OPENAI_API_KEY=sk-${letters(32)} password="abcdefgh" https://u:p@h`
  expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text))
})

test('megabytes that look almost like secrets take no long time', () => {
  for (const piece of [
    'a-',
    'A_',
    'PASSWORD',
    'sk-',
    '-----BEGIN PRIVATE KEY-----',
    'eyJ',
    'http://',
    'Bearer ',
  ]) {
    const start = performance.now()
    redactSecrets(piece.repeat(Math.ceil(1_000_000 / piece.length)))
    expect(performance.now() - start, piece).toBeLessThan(4_000)
  }
})
