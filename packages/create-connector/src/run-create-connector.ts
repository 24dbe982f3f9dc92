import { HeadraceError } from '@headrace/queue'
import { Command, CommanderError } from 'commander'
import { readEnvironment } from './environment.ts'
import { createConnectorExitCodes } from './errors.ts'
import { addScaffoldArguments } from './options/scaffold-options.ts'
import type { ScaffoldContext } from './scaffold-context.ts'

/** Runs the command with its arguments (without those of Node) and resolves to its exit code. Never rejects. */
export async function runCreateConnector(args: readonly string[]): Promise<number> {
  const context: ScaffoldContext = {
    variables: readEnvironment(),
    hasTerminal: process.stdin.isTTY && process.stderr.isTTY,
    write: async (text) => void process.stdout.write(text),
    note: (text) => process.stderr.write(`${text}\n`),
    shutdownSignal: () => new AbortController().signal,
  }
  try {
    await addScaffoldArguments(new Command('create-connector').exitOverride(), context).parseAsync(args, {
      from: 'user',
    })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof HeadraceError)) throw error
    context.note(`error: ${error.message} (${error.code})`)
    return createConnectorExitCodes[error.code] ?? 1
  }
}
