import { type Project, resolveTopics } from '@headrace/catalog'
import type { CommandContext } from '../command-context.ts'
import type { EnvFileContext } from '../env-file/with-env-file.ts'
import { resolveSettingsOf, type SettingsOptions } from '../options/settings-options.ts'
import { loadConnectorProject } from './load-connector-project.ts'

export interface ConnectorWriter {
  /** `<lineage>/<instance>` */
  readonly writerId: string
  readonly project: Project
}

/**
 * Loads a connector's project and resolves the writer id of its instance with these settings.
 *
 * @throws {InvalidProjectError}
 * @throws {UserError} `invalid_settings`
 */
export async function connectorWriter(
  dir: string,
  options: SettingsOptions,
  context: CommandContext & EnvFileContext,
): Promise<ConnectorWriter> {
  const project = await loadConnectorProject(dir, context)
  const settings = await resolveSettingsOf(project, options, context)
  const { writerId } = resolveTopics(project, settings, options.instance)
  return { writerId, project }
}
