import type { RunCommandOptions } from '../options/run-options.ts'

/** Options of `connector dev`. */
export interface DevOptions extends RunCommandOptions {
  /** Runs a gateway. */
  readonly serve?: true
  readonly port?: number
  /** Empties the queue first. */
  readonly fromStart?: true
  readonly json?: true
}
