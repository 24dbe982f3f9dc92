import type { Bench } from './bench.ts'

export interface DestinationCase {
  /** A sentence about the destination. */
  readonly name: string
  /** `reverts`: not for sinks that get final records only. */
  readonly needs?: 'reverts'
  run(bench: Bench): Promise<void>
}
