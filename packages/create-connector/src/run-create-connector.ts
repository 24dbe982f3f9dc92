import { HeadraceError } from '@headrace/queue'
import { Command, CommanderError } from 'commander'
import { readEnvironment } from './environment.ts'
import { createConnectorExitCodes } from './errors.ts'
import type { Clone } from './local-packages/local-package.ts'
import { packageVersion } from './package-folder.ts'
import { addScaffoldArguments } from './scaffold-command.ts'
import type { ScaffoldContext } from './scaffold-context.ts'
import { listenForShutdown } from './shutdown.ts'

export interface RunOptions {
  readonly name?: string
  /** `undefined`: projects get their packages from the registry. */
  readonly clone?: Clone
}

export async function runCreateConnector(
  args: readonly string[],
  { name = 'create-connector', clone }: RunOptions = {},
): Promise<number> {
  const report = (code: string, msg: string): void => {
    const json = JSON.stringify({ level: 60, time: Date.now(), code, msg })
    process.stderr.write(args.includes('--json') ? `${json}\n` : `error: ${msg} (${code})\n`)
  }
  const context: ScaffoldContext = {
    variables: readEnvironment(),
    terminal:
      process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : undefined,
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    note: (line) => process.stderr.write(`${line}\n`),
    shutdownSignal: listenForShutdown,
    clone,
  }
  const program = addScaffoldArguments(new Command(name), context)
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      const message = error.message.replace(/^error: /, '')
      report('wrong_usage', `${message}. Run it with --help to see its arguments and options.`)
      return 2
    }
    if (!(error instanceof HeadraceError)) {
      const stack = (error as Error).stack
      report('bug', `This is a bug in create-connector. Please report it with these details.\n${stack}`)
      return 70
    }
    report(error.code, error.message)
    return createConnectorExitCodes[error.code] ?? 1
  }
}
