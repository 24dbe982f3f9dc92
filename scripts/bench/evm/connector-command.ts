import { join } from 'node:path'
import { execa, type ResultPromise } from 'execa'

export const repository: string = join(import.meta.dirname, '../../..')

/** The built `connector`, which uses the built packages. */
export const connectorCommand: string = join(repository, 'packages/cli/bin/connector.js')

/** A running `connector run` of the example connector, with the default flags of Node. */
export type RunningConnector = ResultPromise<{ cwd: string; stdout: 'ignore'; maxBuffer: number }>

/** @param settings - `name=value`. */
export function startConnector(queueUrl: string, settings: readonly string[], instance = 'main'): RunningConnector {
  const all = settings.flatMap((setting) => ['--set', setting])
  const args = [connectorCommand, 'run', 'examples/evm', ...all, '--instance', instance]
  const options = { cwd: repository, stdout: 'ignore', maxBuffer: 1e6 } as const
  return execa(process.execPath, [...args, '--queue', queueUrl], options)
}
