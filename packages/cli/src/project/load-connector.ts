import type { Project } from '@headrace/catalog'
import type { Connector, Schema } from '@headrace/sdk'
import { importConnector } from './import-connector.ts'

/**
 * Loads the connector that `run` of the manifest names: a module, or a command that speaks the process protocol.
 *
 * @param dryRun - Nothing is committed, so a child process must not wait for commits.
 * @throws {UserError} `connector_not_loaded`
 */
export async function loadConnector(project: Project, dryRun: boolean): Promise<Connector<Schema, unknown>> {
  const { dir, manifest } = project
  const { run = 'src/connector.ts', topics } = manifest
  if (typeof run === 'string') return importConnector(dir, run)
  const { processConnector } = await import('@headrace/sdk')
  const messages = topics.map(({ message }) => message)
  return processConnector({
    command: run.command,
    dir,
    messages,
    ...(dryRun && { limits: { pendingUnits: 0xffff_ffff } }),
  })
}
