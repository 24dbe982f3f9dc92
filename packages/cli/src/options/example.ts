import type { Command } from 'commander'

export function addExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${example}`)
}
