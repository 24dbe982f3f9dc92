import type { FaultKind } from './world/fault-kinds.ts'
import type { Strike } from './world/swarm.ts'
import type { World } from './world/world.ts'

/** A piece of the product among simulated brokers, nodes and programs, with the oracles that watch it. */
export interface Scenario {
  readonly name: string
  /** The kinds of faults that it can have. */
  readonly faults: readonly FaultKind[]
  /**
   * Resolves when everything is there. What breaks the promise is told to `world.fail` at once. An error that is thrown
   * is a failure too.
   */
  run(world: World): Promise<void>
}

export interface Outcome {
  readonly scenario: string
  readonly seed: number
  /** What broke. Undefined: nothing. */
  readonly failure: string | undefined
  readonly steps: number
  readonly virtualMs: number
  /** The faults that have struck, in their order. */
  readonly faults: readonly Strike[]
  /** Empty unless it was asked for. */
  readonly trace: readonly string[]
}
