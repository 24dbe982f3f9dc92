import type { FaultKind } from './world/fault-kinds.ts'
import type { Strike } from './world/swarm.ts'
import type { World } from './world/world.ts'

/** A part of the product with simulated brokers, nodes and programs, and the oracles that check it. */
export interface Scenario {
  readonly name: string
  /** Its kinds of faults. */
  readonly faults: readonly FaultKind[]
  /** Resolves when everything is done. Oracles report failures to `world.fail`. A thrown error is a failure, too. */
  run(world: World): Promise<void>
}

export interface Outcome {
  readonly scenario: string
  readonly seed: number
  /** The failure. Undefined: none. */
  readonly failure: string | undefined
  readonly steps: number
  readonly virtualMs: number
  /** The faults, in order. */
  readonly faults: readonly Strike[]
  /** Empty unless requested. */
  readonly trace: readonly string[]
}
