import type { RunCommandOptions } from '../options/run-options.ts'

/** What `connector dev` is given. */
export interface DevOptions extends RunCommandOptions {
  /** Whether the queue is served too, and at which port. */
  readonly serve?: true
  readonly port?: number
  /** Whether what was published before is removed first. */
  readonly fromStart?: true
  readonly json?: true
}
