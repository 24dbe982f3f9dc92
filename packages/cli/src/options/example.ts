import type { Command } from 'commander'

/** Adds an example to the help of a command. */
export function addExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${example}`)
}
