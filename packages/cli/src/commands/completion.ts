import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample } from '../options/example.ts'
import { jsonLine } from '../output/json-line.ts'
import { type Shell, shellCompletion, shells } from '../output/shell-completion.ts'

export function addCompletionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell to complete for').choices(shells))
    .option('--json', 'print a JSON object with the script')
    .action(async (shell: Shell, { json }: { readonly json?: true }) => {
      const script = shellCompletion(program, ['connector', 'headrace'], shell)
      await context.output.write(json ? jsonLine({ shell, script }) : script)
    })
  addExample(command, 'source <(connector completion bash)')
}
