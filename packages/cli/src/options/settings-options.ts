import { explainUnknownVariables, type Project, resolveSettings, type Settings } from '@headrace/catalog'
import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { type EnvFileContext, noteEnvFile, withEnvFile } from '../env-file/with-env-file.ts'
import { loadConnectorProject } from '../project/load-connector.ts'
import { instanceOption, settingOption } from './parse-option.ts'

export interface SettingsOptions {
  readonly config?: string
  readonly set?: readonly string[]
  readonly instance?: string
}

/** The folder of a connector, and its settings. */
export function addProjectOptions(command: Command): Command {
  return addFolderArgument(command)
    .option('--config <file>', 'YAML or JSON file with settings')
    .option('--set <name=value>', 'a setting; may be given several times', settingOption)
    .option('--instance <name>', 'name of this instance, if several of the connector run', instanceOption)
}

export function addFolderArgument(command: Command): Command {
  return command.argument('[dir]', 'folder of the connector', readFolder, '.')
}

/** An empty path comes from a variable that is not set. It does not mean the current folder. */
export function readFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder; "." is the current one.')
  return text
}

/** Also notes the `.env` file, whose variables the returned context has. */
export async function loadConfiguredProject(
  dir: string,
  options: SettingsOptions,
  baseContext: CommandContext,
): Promise<{ context: CommandContext & EnvFileContext; project: Project; settings: Settings }> {
  const context = await withEnvFile(dir, baseContext)
  noteEnvFile(context)
  const project = await loadConnectorProject(dir, context)
  return { context, project, settings: await resolveSettingsOf(project, options, context) }
}

/** Warns of each variable `CONNECTOR_…` that is no setting. */
export function resolveSettingsOf(
  { manifest }: Project,
  { config, set }: SettingsOptions,
  { environment, warn, envFile }: Pick<CommandContext, 'environment' | 'warn'> & EnvFileContext,
): Promise<Settings> {
  const variablePlaces = envFile.places
  for (const text of explainUnknownVariables(manifest, environment.variables, variablePlaces)) warn(text)
  return resolveSettings(manifest, {
    environment: environment.variables,
    variablePlaces,
    ...(config !== undefined && { file: config }),
    ...(set && { sets: set }),
    setsOption: '--set',
  })
}
