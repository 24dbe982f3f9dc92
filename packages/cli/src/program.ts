import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addCodegenCommand } from './commands/codegen.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeysCreateCommand } from './commands/keys-create.ts'
import { addManifestValidateCommand } from './commands/manifest-validate.ts'
import { addReadCommand } from './commands/read.ts'
import { addRunCommand } from './commands/run.ts'
import { addServeCommand } from './commands/serve.ts'
import { addTailCommand } from './commands/tail.ts'
import { addTopicsListCommand } from './commands/topics-list.ts'

/**
 * The `connector` command with everything it does. Wrong usage is thrown as a `CommanderError`, once it is printed.
 *
 * What takes long to load (the gateway, the runtime, the code generators) is loaded by the action that needs it.
 */
export function createProgram(context: CommandContext): Command {
  const program = new Command('connector')
    .description('Publish source data to topics, exactly once, and read them.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('Run it with --help to see what it takes.')
  addRunCommand(program, context)
  addReadCommand(program, context)
  addTailCommand(program, context)
  addServeCommand(program, context)
  addTopicsListCommand(program.command('topics').description('the topics of a queue'), context)
  addKeysCreateCommand(program.command('keys').description('the API keys of a queue'), context)
  addManifestValidateCommand(program.command('manifest').description('the manifest of a connector'), context)
  addCodegenCommand(program, context)
  addDoctorCommand(program, context)
  return program
}

function packageVersion(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}
