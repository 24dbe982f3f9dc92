import { listenForShutdown } from 'create-connector'
import { redirectNodeWarnings } from './node-warnings.ts'
import { isInPackageScript } from './package-script.ts'
import { runCli } from './run-cli.ts'

const args = process.argv.slice(2)
const { env, stdin, stdout, stderr } = process
const parent = isInPackageScript(env, args) ? process.ppid : undefined
process.exit(
  await runCli(args, {
    ...{ variables: env, stdin, stdout, stderr },
    listenForShutdown: () => listenForShutdown(parent),
    redirectNodeWarnings,
  }),
)
