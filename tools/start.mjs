// npm start: the demo, from a fresh clone.
//   node tools/start.mjs <arguments of the demo…>
import { launch } from './launch.mjs'

await launch('examples/demo/main.ts', process.argv.slice(2))
