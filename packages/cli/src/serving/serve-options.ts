import type { Environment } from '@headrace/server'
import type { QueueOptions } from '../options/queue-options.ts'

export interface ServeOptions extends QueueOptions {
  readonly host: string
  readonly port: number
  readonly environment: Environment
  readonly gateways: number
  readonly metricsPort?: number
  readonly metricsHost: string
  readonly withKey?: true
  readonly json?: true
}
