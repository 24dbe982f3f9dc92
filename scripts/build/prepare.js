// Runs on Node 20.11 and newer, before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'

if (!import.meta.dirname) {
  console.error(
    `This repository needs Node 20.11 or newer, and this is Node ${process.versions.node}. ` +
      'Install a newer one from https://nodejs.org and run the command again.',
  )
  process.exit(1)
}

export const root = join(import.meta.dirname, '../..')

/** The Node that the repository pins. `prepare` installs it. */
export const pinnedNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Installs the dependencies if the lock file has changed, and builds the packages. */
export function prepare() {
  installDependencies(
    root,
    'Installing the dependencies of this clone, a Node among them: 700 MB, which takes a minute or two …',
  )
  // The first build takes half a minute, later ones a second.
  if (modifiedAt(join(root, 'packages/cli/dist/.tsbuildinfo')) === 0) console.error('Building the packages …')
  run(pinnedNode, ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json'])
  run(pinnedNode, ['scripts/build/bundle.ts'])
}

/** Installs the dependencies of a folder if its lock file has changed, after it has printed the text. */
export function installDependencies(folder, text) {
  if (modifiedAt(join(folder, 'node_modules/.package-lock.json')) >= modifiedAt(join(folder, 'package-lock.json')))
    return
  console.error(text)
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    shell: process.platform === 'win32',
  })
}

/** Prepares the clone, then runs a program of it with the arguments, signals and exit code of this process. */
export function runProgram(file, options = {}) {
  prepare()
  const child = spawn(pinnedNode, [join(root, file), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    ...options,
  })
  // The terminal sends Ctrl-C to a child that is not detached, too.
  process.on('SIGINT', () => options.detached && child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
}

/** If the command fails, this process ends with its exit code. */
function run(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (status === 0) return
  console.error(`${[command, ...args].join(' ')}: ${error?.message ?? signal ?? `exit code ${status}`}`)
  process.exit(status || 1)
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
