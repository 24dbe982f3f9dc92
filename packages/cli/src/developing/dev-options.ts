import type { RunCommandOptions } from '../options/run-options.ts'

export interface DevOptions extends RunCommandOptions {
  readonly serve?: true
  readonly port?: number
  readonly fromStart?: true
  readonly json?: true
}
