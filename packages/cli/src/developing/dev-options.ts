import type { RunCommandOptions } from '../options/run-options.ts'

/** What `connector dev` is given. */
export interface DevOptions extends RunCommandOptions {
  /** Whether answers are kept from one run to the next. */
  readonly cache: boolean
  readonly json?: true
}
