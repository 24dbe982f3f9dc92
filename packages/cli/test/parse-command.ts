import type { Command } from 'commander'
import type { CommandContext } from '../src/command-context.ts'
import { readEnvironment } from '../src/environment.ts'
import { createProgram } from '../src/program.ts'

/** The options and arguments of a command line that is complete and valid. It is not run. Throws if it is wrong. */
export async function parseCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly name: string; readonly options: Readonly<Record<string, unknown>> }> {
  const printed: string[] = []
  const program = createProgram({ environment: readEnvironment(variables) } as unknown as CommandContext)
  let parsed: Command | undefined
  const replaceActions = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: (text) => void printed.push(text) })
    if (command.commands.length > 0) command.commands.forEach(replaceActions)
    else
      command.action(() => {
        parsed = command
      })
  }
  replaceActions(program)
  await program.parseAsync(args, { from: 'user' }).catch((error: Error) => {
    throw new Error(`connector ${args.join(' ')}: ${error.message}\n${printed.join('')}`)
  })
  return { name: parsed!.name(), options: parsed!.opts() }
}
