import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments, printHelp } from '../build/arguments.js'
import { releaseNotes } from './changelog.ts'

printHelp(`
npm run release:notes

Prints the notes of the version that the packages have, from CHANGELOG.md. It has no options.
`)
parseArguments({ options: {} })

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
const { version } = JSON.parse(read('packages/cli/package.json')) as { version: string }
console.log(releaseNotes(read('CHANGELOG.md'), version))
