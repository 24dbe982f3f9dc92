import { type Command, InvalidArgumentError } from 'commander'
import type { ScaffoldContext, ScaffoldOptions } from './scaffold-context.ts'

export function addScaffoldArguments(command: Command, context: ScaffoldContext): Command {
  return command
    .description('create a connector project and set it up; on a terminal, ask for what is not given')
    .argument('[dir]', 'folder to create (default: my-connector)', readFolder)
    .option('--template <name>', 'blank, transform, evm-blocks, evm-events, python or go (default: blank)')
    .option('--name <name>', 'npm name of the project (default: the last part of the folder)')
    .option(
      '--owner <name>',
      'owner of the topics (default: the scope of the name, else the user name in git or of the system)',
    )
    .option('--package-manager <name>', 'npm, pnpm, yarn or bun (default: the one that started the command)')
    .option('--abi <file>', 'evm-events: ABI of the contract, as JSON')
    .option('--events <names>', 'evm-events: events to publish, separated by commas (default: all)')
    .option('--contract <name>', 'evm-events: name of the contract in the topics (default: from the ABI)')
    .option('--address <address>', 'evm-events: address of the contract')
    .option('--no-install', 'only write the files of the project')
    .option('--yes', 'do not ask: use the default of each option that is not given')
    .option('--json', 'print one JSON object at the end, with the files, the steps and the next commands')
    .action(async (dir: string | undefined, options: ScaffoldOptions) => {
      const { scaffold } = await import('./scaffold.ts')
      await scaffold(dir, options, context)
    })
}

/** An empty path comes from a variable that is not set. It does not mean the current folder. */
function readFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder; "." is the current one.')
  return text
}
