#!/usr/bin/env node
// Runs on Node 20.11 and newer. The action and the hook of this repository run it in a user's repository.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { printHelp } from '../build/arguments.js'

printHelp(`
scripts/validate/main.js [options of "connector manifest validate", as --name=value] folders and files

Checks connectors: those in the folders, and those to which the files belong. Runs the connector command that is installed
in the current folder, else that of this version of Headrace, or of the version in HEADRACE_CLI_VERSION.
`)

const args = process.argv.slice(2)
const options = args.filter((argument) => argument.startsWith('-'))
const paths = args.filter((argument) => !argument.startsWith('-'))
const dirs = [...new Set(paths.map(connectorOf))].filter((dir) => dir !== undefined)
process.exitCode = dirs.length > 0 ? run(['manifest', 'validate', ...dirs, ...options]) : 0

/** The closest folder around a file that has a manifest, if any. */
function connectorOf(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return path
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'manifest.yaml'))) return dir
    if (dir === dirname(dir)) return undefined
  }
}

function run(command) {
  const installed = 'node_modules/@headrace/cli/bin/connector.js'
  const [program, ...before] = existsSync(installed) ? [process.execPath, installed] : npx()
  const { status, error } = spawnSync(program, [...before, ...command], {
    stdio: 'inherit',
    shell: program === 'npx' && process.platform === 'win32',
  })
  if (error) console.error(`error: ${program} cannot be run: ${error.message}`)
  return status ?? 1
}

function npx() {
  const manifest = readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8')
  const version = process.env.HEADRACE_CLI_VERSION || JSON.parse(manifest).version
  return ['npx', '--yes', '--package', `@headrace/cli@${version}`, 'connector']
}
