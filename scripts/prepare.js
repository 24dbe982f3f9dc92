// Runs on any Node from 20 on, before anything is installed.
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'

if (!import.meta.dirname) {
  console.error(
    `A clone needs Node 20.11 or newer to start with, and this is Node ${process.versions.node}. ` +
      'Install a newer one from https://nodejs.org and run this again.',
  )
  process.exit(1)
}

/** The repository's folder. */
export const root = join(import.meta.dirname, '..')

/** The Node that the repository pins. It is there after `prepare`. */
export const pinnedNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Installs the dependencies and builds the packages where that was not done since they last changed. */
export function prepare() {
  if (modifiedAt('node_modules/.package-lock.json') < modifiedAt('package-lock.json')) installDependencies()
  // The first build takes half a minute, any other one a second.
  if (modifiedAt('packages/cli/dist/.tsbuildinfo') === 0) console.error('Building the packages …')
  run(pinnedNode, ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json'])
  run(pinnedNode, ['scripts/bundle.ts'])
  run(pinnedNode, ['scripts/copy-templates.ts'])
}

/** Runs a program in the repository's folder and ends this one where it fails. */
function run(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (status === 0) return
  console.error(`${[command, ...args].join(' ')}: ${error?.message ?? signal ?? `exit code ${status}`}`)
  process.exit(status || 1)
}

function installDependencies() {
  console.error('Installing the dependencies of this clone, a Node among them: 700 MB, which takes a minute or two …')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    shell: process.platform === 'win32',
  })
}

function modifiedAt(file) {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
