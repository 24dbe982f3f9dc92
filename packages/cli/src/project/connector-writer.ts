import { resolveTopics } from '@headrace/catalog'
import type { CommandContext } from '../command-context.ts'
import { resolveSettingsOf, type SettingsOptions } from '../options/settings-options.ts'
import { loadConnectorProject } from './load-connector-project.ts'

/**
 * Says which writer the instance of a connector has, with these settings: `<lineage>/<instance>`.
 *
 * @throws {InvalidProjectError}
 * @throws {UserError} `invalid_settings`
 */
export async function writerIdOf(dir: string, options: SettingsOptions, context: CommandContext): Promise<string> {
  const project = await loadConnectorProject(dir, context)
  const settings = await resolveSettingsOf(project, options, context)
  return resolveTopics(project, settings, options.instance).writerId
}
