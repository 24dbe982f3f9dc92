import { explainUnknownVariables, type Project, resolveSettings, type Settings } from '@headrace/catalog'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { EnvFileContext } from '../env-file/with-env-file.ts'
import { instanceOption, settingOption } from './parse-option.ts'

/** Values of `--config`, `--set` and `--instance`. */
export interface SettingsOptions {
  readonly config?: string
  readonly set?: readonly string[]
  readonly instance?: string
}

/** Gives a command the options that say which instance of a connector is meant, and with which settings. */
export function addSettingsOptions(command: Command): Command {
  return command
    .option('--config <file>', 'settings, as YAML or JSON')
    .option('--set <name=value>', 'one setting; may be repeated', settingOption)
    .option('--instance <name>', 'which of several runs of one package this is', instanceOption)
}

/**
 * Warns of variables that look like settings and are none.
 *
 * @throws {UserError} `invalid_settings`
 */
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
  })
}
