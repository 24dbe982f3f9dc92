import { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addAdoptCommand } from './commands/adopt.ts'
import { addCheckpointCommands } from './commands/checkpoint.ts'
import { addCodegenCommand } from './commands/codegen.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDevCommand } from './commands/dev.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addKeysCommands } from './commands/keys.ts'
import { addManifestValidateCommand } from './commands/manifest-validate.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addNewCommand } from './commands/new.ts'
import { addReadCommand } from './commands/read.ts'
import { addRegisterCommand } from './commands/register.ts'
import { addRunCommand } from './commands/run.ts'
import { addServeCommand } from './commands/serve.ts'
import { addSinkCommand } from './commands/sink.ts'
import { addStatusCommand } from './commands/status.ts'
import { addTailCommand } from './commands/tail.ts'
import { addTopicsCommands } from './commands/topics.ts'
import { addTypesCommand } from './commands/types.ts'
import { addVerifyCommand } from './commands/verify.ts'
import { takeQueueVariables } from './options/queue-options.ts'
import { packageVersion } from './package-version.ts'

/**
 * The gateway, the runtime and the code generators are slow to load, so only the actions that need them import them.
 */
export function createProgram(context: CommandContext): Command {
  const program = new Command('connector')
    .description('Publish the data of a source to topics, exactly once, and read the topics.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({ writeOut: context.showHelp, writeErr: context.showUsage })
    .showHelpAfterError('Run it with --help to see its arguments and options.')
    .hook('preAction', (_, command) => takeQueueVariables(command, context))
  addNewCommand(program, context)
  addRunCommand(program, context)
  addDevCommand(program, context)
  addReadCommand(program, context)
  addTailCommand(program, context)
  addServeCommand(program, context)
  addMcpCommand(program, context)
  addSinkCommand(program, context)
  addRegisterCommand(program, context)
  addAdoptCommand(program, context)
  addStatusCommand(program, context)
  addTopicsCommands(program, context)
  addCheckpointCommands(program, context)
  addVerifyCommand(program, context)
  addTypesCommand(program, context)
  addKeysCommands(program, context)
  addManifestValidateCommand(program.command('manifest').description('check the manifest of a connector'), context)
  addCodegenCommand(program, context)
  addDoctorCommand(program, context)
  addCompletionCommand(program, context)
  return program
}
