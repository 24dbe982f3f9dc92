import type { Command } from 'commander'

/** Shows a command in use at the end of its help. */
export function addExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${example}`)
}
