import { randomBytes } from 'node:crypto'
import { execa } from 'execa'
import { isAtLeast } from './distribution.ts'
import type { Machine } from './machine.ts'

export interface StorageOptions {
  readonly version: string
  readonly transactionVersion: 0 | 2
  /** Users that are known by SCRAM, and their passwords. */
  readonly scramUsers: Readonly<Record<string, string>>
  /** Paths of the `server.properties` of all nodes. */
  readonly properties: readonly string[]
}

/** Makes the data folders of a new cluster. */
export async function formatStorage(machine: Machine, options: StorageOptions): Promise<void> {
  const clusterId = `h${randomBytes(16).toString('base64url').slice(1)}`
  // Before 4.0 there is one level of transactions, and no option to choose it.
  const features = isAtLeast(options.version, '4')
    ? ['--feature', `transaction.version=${options.transactionVersion}`]
    : []
  const users = Object.entries(options.scramUsers).flatMap(([name, password]) =>
    ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((by) => ['--add-scram', `${by}=[name=${name},password=${password}]`]),
  )
  const [command, ...prefix] = machine.javaCommand
  const format = [...prefix, 'kafka.tools.StorageTool', 'format', '--cluster-id', clusterId, ...features, ...users]
  await Promise.all(options.properties.map((path) => execa(command!, [...format, '--config', path])))
}
