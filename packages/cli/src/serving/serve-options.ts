import type { Environment } from '@headrace/server'
import type { QueueOptions } from '../options/queue-options.ts'

/** Options of `connector serve`. */
export interface ServeOptions extends QueueOptions {
  readonly host: string
  readonly port: number
  readonly environment: Environment
  /** Number of processes. */
  readonly gateways: number
  readonly metricsPort?: number
  readonly metricsHost: string
  readonly withKey?: true
  readonly json?: true
}
