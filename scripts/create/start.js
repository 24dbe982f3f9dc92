// `npm run create -- DIR [options]`: makes a project that uses the packages of this clone. The options are those of
// create-connector. Runs on Node 20 and newer.
import { delimiter } from 'node:path'
import { runProgram } from '../build/prepare.js'

runProgram('scripts/create/main.ts', {
  // npm runs scripts in the folder of package.json; DIR is relative to the user's folder.
  cwd: process.env.INIT_CWD ?? process.cwd(),
  env: userVariables(process.env),
})

/** The user's variables, without those that npm adds about this clone, and without its folders in PATH. */
function userVariables(variables) {
  const ofClone =
    /^(INIT_CWD|NODE|npm_(command|execpath|node_execpath|lifecycle_.*|package_.*)|npm_config_local_prefix)$/
  const kept = Object.entries(variables).filter(([name]) => !ofClone.test(name))
  const path = (variables.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !/[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/.test(folder))
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) }
}
