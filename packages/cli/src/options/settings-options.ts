import { explainUnknownVariables, type Project, resolveSettings, type Settings } from '@headrace/catalog'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { EnvFileContext } from '../env-file/with-env-file.ts'
import { instanceOption, settingOption } from './parse-option.ts'

export interface SettingsOptions {
  readonly config?: string
  readonly set?: readonly string[]
  readonly instance?: string
}

export function addSettingsOptions(command: Command): Command {
  return command
    .option('--config <file>', 'file with settings, as YAML or JSON')
    .option('--set <name=value>', 'one setting; repeatable', settingOption)
    .option('--instance <name>', 'instance of the connector, where several run', instanceOption)
}

/** Warns of each variable `CONNECTOR_…` that is no setting. */
export function resolveSettingsOf(
  { manifest }: Project,
  { config, set }: SettingsOptions,
  { environment, warn, envFile }: Pick<CommandContext, 'environment' | 'warn'> & EnvFileContext,
): Promise<Settings> {
  const variablePlaces = envFile?.places ?? {}
  for (const text of explainUnknownVariables(manifest, environment.variables, variablePlaces)) warn(text)
  return resolveSettings(manifest, {
    environment: environment.variables,
    variablePlaces,
    ...(config !== undefined && { file: config }),
    ...(set && { sets: set }),
    setsOption: '--set',
  })
}
