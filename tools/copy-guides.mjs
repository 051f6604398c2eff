// Last step of core's build, run from its folder: the guides are installed with it, since links to the repository lead
// nowhere from node_modules. They keep their places to one another.
import { cp } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { root } from './packages.mjs'

const guides = join(root, 'docs')
// The API reference is generated, and its contents are in the declarations.
const isGuide = (path) => !relative(guides, path).startsWith('api')
await cp(guides, 'dist/docs', { recursive: true, filter: isGuide })
await cp(join(root, 'SECURITY.md'), 'dist/SECURITY.md')
