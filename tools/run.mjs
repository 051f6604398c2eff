// What the other npm scripts go through: installs when needed, then runs a program of this repository.
//   node tools/run.mjs <program> <its arguments…>
import { launch } from './launch.mjs'

const [program, ...args] = process.argv.slice(2)
if (program === undefined) throw new Error('name a program, such as tools/check.mjs')
await launch(program, args)
