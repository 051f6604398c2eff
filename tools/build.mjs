// npm run build: every package's dist, by the `build` script that its package.json names.
import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { promisify } from 'node:util'
import { publicPackages, root } from './packages.mjs'

const run = promisify(exec)
const env = { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env.PATH}` }

async function build({ name, dir }) {
  const { scripts } = JSON.parse(readFileSync(`${dir}/package.json`, 'utf8'))
  try {
    await run(scripts.build, { cwd: dir, env })
    console.log(`built ${name}`)
  } catch (error) {
    console.error(`${name}\n${error.stdout ?? ''}${error.stderr || error.message}`)
    process.exitCode = 1
  }
}

// Declarations of an adapter are written against those of core.
const packages = publicPackages()
for (const core of packages.filter(({ name }) => name === '@mendloop/core')) await build(core)
if (process.exitCode === undefined) {
  await Promise.all(packages.filter(({ name }) => name !== '@mendloop/core').map(build))
}
