import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments, printHelp } from '../build/arguments.js'

printHelp(`
node scripts/release/set-published.ts

Notes that the packages are on the registry, and prints the lines of the docs that say "once published". It has no
options.
`)
parseArguments({ options: {} })

const root = join(import.meta.dirname, '../..')
const file = join(root, 'packages/create-connector/src/published.ts')
const before = readFileSync(file, 'utf8')
const after = before.replace(/^(export const published: boolean =) false$/m, '$1 true')
if (!/^export const published: boolean = true$/m.test(after)) throw new Error(`${file} declares no "published".`)
writeFileSync(file, after)

if (after !== before)
  for (const page of [
    'README.md',
    'CHANGELOG.md',
    ...globSync('{deploy,docs,packages/*}/**/*.md', { cwd: root, exclude: ['**/node_modules/**'] }),
  ])
    for (const [index, line] of readFileSync(join(root, page), 'utf8').split('\n').entries())
      if (/once published/i.test(line))
        console.log(`${page}:${index + 1}: the packages are published now: ${line.trim()}`)
