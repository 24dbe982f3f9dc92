import type { Command } from 'commander'
import { addScaffoldArguments } from 'create-connector'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../output/result.ts'

export function addNewCommand(program: Command, context: CommandContext): void {
  const command = addScaffoldArguments(program.command('new'), {
    variables: context.environment.variables,
    terminal: context.ask && { input: process.stdin, output: process.stderr },
    write: (text) => context.output.write(text),
    note: context.note,
    shutdownSignal: context.shutdownSignal,
  })
  addExample(command, 'connector new quotes --template blank --owner acme')
}
