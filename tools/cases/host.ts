// The program behind run-in-own-host.ts: a case on standard input, its outcome on standard output.
import { text } from 'node:stream/consumers'
import type { BugCase } from './bug-case.js'
import { runHere } from './run-case.js'

const bugCase = JSON.parse(await text(process.stdin)) as BugCase
process.stdout.write(`\n${JSON.stringify(await runHere(bugCase))}\n`)
