import type { Environment } from '@headrace/server'
import type { QueueOptions } from '../options/queue-options.ts'

/** What `connector serve` is given. */
export interface ServeOptions extends QueueOptions {
  readonly host: string
  readonly port: number
  readonly environment: Environment
  /** Processes that answer at the one port. */
  readonly gateways: number
  readonly metricsPort?: number
  readonly metricsHost: string
  readonly withKey?: true
  readonly json?: true
}
