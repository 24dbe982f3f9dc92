// Runs on Node 20.11 and newer.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArguments, printHelp } from '../build/arguments.js'
import { installDependencies, root } from '../build/prepare.js'

printHelp(`
npm run site -- [--dev]

Builds the documentation as a site, in site/.vitepress/dist, and checks its links.

  --dev  serve it on this machine instead, with each change, until Ctrl-C

SITE_URL is the address where it is published: https://headrace.github.io/headrace
`)
const { values } = parseArguments({ options: { dev: { type: 'boolean', default: false } } })

const site = join(root, 'site')
installDependencies(site, 'Installing VitePress, 100 MB …')
const child = spawn(
  process.execPath,
  [join(site, 'node_modules/vitepress/bin/vitepress.js'), values.dev ? 'dev' : 'build', site],
  { cwd: site, stdio: 'inherit' },
)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
