import type { CommandContext } from '../command-context.ts'
import type { Logging } from '../logging/logger.ts'
import type { DevGateway } from './dev-gateway.ts'
import type { DevOptions } from './dev-options.ts'
import type { PreparedProject } from './prepare-project.ts'
import type { ProjectWatch } from './watch-project.ts'

/** A connector that is being written, from the start of the command to its end. */
export interface Developing {
  readonly dir: string
  readonly options: DevOptions
  readonly context: CommandContext
  readonly logging: Logging
  readonly signal: AbortSignal
  readonly files: ProjectWatch
  readonly gateway: DevGateway | undefined
  /** Whether keys of a terminal are listened to. */
  readonly hasKeys: boolean
  /** The project as it was found right. `undefined`: it has to be looked at. */
  prepared: PreparedProject | undefined
  /** Ends the command: with what no change of a file can fix. */
  fail(error: Error): void
}

/** What is said while nothing runs. */
export const waiting = 'waiting for a change'

/** What a run writes in the folder that is looked at. */
export function writtenBy({ queue }: DevOptions): string[] {
  return queue.startsWith('embedded:') ? [queue.slice('embedded:'.length)] : []
}
