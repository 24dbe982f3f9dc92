import type { CommandContext } from '../command-context.ts'
import type { Logging } from '../logging/logger.ts'
import type { DevGateway } from './dev-gateway.ts'
import type { DevOptions } from './dev-options.ts'
import type { PreparedProject } from './prepare-project.ts'
import type { ProjectWatch } from './watch-project.ts'

/** The state of `connector dev`. */
export interface Developing {
  readonly dir: string
  readonly options: DevOptions
  readonly context: CommandContext
  readonly logging: Logging
  readonly signal: AbortSignal
  readonly files: ProjectWatch
  readonly gateway: DevGateway | undefined
  /** Whether the command reacts to keys. */
  readonly hasKeys: boolean
  /** `undefined`: the project must be prepared. */
  prepared: PreparedProject | undefined
  /** Ends the command with an error that no change of a file can fix. */
  fail(error: Error): void
}

/** Log message while nothing runs. */
export const waiting = 'waiting for a change'

/** Folders that a run writes. */
export function writtenBy({ queue }: DevOptions): string[] {
  return queue.startsWith('embedded:') ? [queue.slice('embedded:'.length)] : []
}
