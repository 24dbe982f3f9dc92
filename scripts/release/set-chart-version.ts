import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments, printHelp } from '../build/arguments.js'

printHelp(`
node scripts/release/set-chart-version.ts

Gives the Helm chart, and the image that it uses, the version of the packages. It has no options.
`)
parseArguments({ options: {} })

const root = join(import.meta.dirname, '../..')
const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
const file = join(root, 'deploy/helm/headrace/Chart.yaml')
writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`))
