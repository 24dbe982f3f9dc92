import { type Command, InvalidArgumentError } from 'commander'
import type { ScaffoldContext } from '../scaffold-context.ts'

/** The options as commander hands them out, unchecked. */
export interface ScaffoldOptions {
  readonly template?: string
  readonly name?: string
  readonly owner?: string
  readonly packageManager?: string
  readonly abi?: string
  readonly events?: string
  readonly contract?: string
  readonly address?: string
  /** `--no-install` sets it to `false`. */
  readonly install: boolean
  readonly yes?: true
  readonly json?: true
}

/** Makes a command the one that makes projects, under whichever name. */
export function addScaffoldArguments(command: Command, context: ScaffoldContext): Command {
  return command
    .description('make a project of a connector that runs')
    .argument('[dir]', 'folder to make; asked for on a terminal', readFolder)
    .option('--template <name>', 'blank, transform, evm-blocks, evm-events, python or go')
    .option('--name <name>', 'npm name of the project (default: the last part of the folder)')
    .option(
      '--owner <name>',
      'who owns the topics (default: the scope of the name, else the user by git or the system)',
    )
    .option('--package-manager <name>', 'npm, pnpm, yarn or bun (default: the one that started this)')
    .option('--abi <file>', 'evm-events: ABI of the contract, as JSON')
    .option('--events <names>', 'evm-events: which of its events, separated by commas (default: all)')
    .option('--contract <name>', 'evm-events: name of the contract in the topics')
    .option('--address <address>', 'evm-events: where the contract is')
    .option('--no-install', 'write the project and leave it at that')
    .option('--yes', 'ask nothing: what is not given is the default')
    .option('--json', 'one JSON object at the end, with the files, the steps and what to run next')
    .action(async (dir: string | undefined, options: ScaffoldOptions) => {
      const { scaffold } = await import('../scaffold.ts')
      await scaffold(dir, options, context)
    })
}

/** An empty path is that of a variable that is not set, and not of the current folder. */
function readFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder; "." is the current one.')
  return text
}
