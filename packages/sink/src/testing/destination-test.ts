import type { SinkDefinition, StoredRow } from '../destination/destination.ts'

export interface DestinationTest {
  /**
   * Makes the sink of a place: a folder, a schema, a table prefix. A place is empty when its sink is made first. Each call
   * stands for the start of a program, and must give what was stored there. Names match `[a-z0-9_]{1,20}`.
   */
  sink(place: string): SinkDefinition
  /** The rows of a partition, in any order. Default: those of `readRows` of the destination. */
  readRows?(place: string, topic: string, partition: number): Promise<readonly StoredRow[]>
  /** Default: nothing is killed. */
  readonly kill?: KillTest
  /** Called after each case. */
  onCase?(name: string): void
}

/** Kills processes that apply records with SIGKILL. */
export interface KillTest {
  /** Its default export is `sink` of the test, for a child process of Node. */
  readonly module: URL
  /** Processes to kill. Default 5. */
  readonly count?: number
  /** Of Node. Default: those of this process. */
  readonly execArgv?: readonly string[]
  /** Between 0 and 1, for the moments. Default `Math.random`. */
  random?(): number
}

export interface DestinationTestResult {
  /** That passed. */
  readonly cases: readonly string[]
  /** Topics and values that the destination refused. None of them was stored in part. */
  readonly refused: readonly string[]
}
