// `npm run create -- DIR [options]`: installs and builds what is missing, then makes a project that has the packages of
// this clone. The options are those of create-connector. Runs on Node 20 and up.
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { pinnedNode, prepare, root } from './prepare.js'

prepare()

// DIR is relative to where the user is; npm runs scripts in the folder of package.json.
const child = spawn(pinnedNode, [join(root, 'scripts/create/main.ts'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
  env: userVariables(process.env),
  stdio: 'inherit',
})
// Ctrl-C reaches the child without help.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))

/** The variables of the user: npm adds some that are about this clone, and its programs to the PATH. */
function userVariables(variables) {
  const ofClone =
    /^(INIT_CWD|NODE|npm_(command|execpath|node_execpath|lifecycle_.*|package_.*)|npm_config_local_prefix)$/
  const kept = Object.entries(variables).filter(([name]) => !ofClone.test(name))
  const path = (variables.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) }
}
