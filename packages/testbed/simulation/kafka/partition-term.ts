import type { PartitionState } from './producer-state.ts'

/** The decision of the controller. */
export interface Leadership {
  /** −1: none. */
  readonly leader: number
  readonly epoch: number
}

/** A term in the memory of a broker that considers itself the leader. */
export interface Term {
  readonly epoch: number
  readonly state: PartitionState
  /** The end of each follower, from its fetches in this term. */
  readonly followed: Map<number, bigint>
  /** Start offset of the term. The leader knows the end only after the high watermark has passed it. */
  readonly start: bigint
  /** The brokers that must have a batch before it is acknowledged. */
  readonly inSync: Set<number>
  /** Whether a check for lagging followers is due. */
  checksLag: boolean
  waiting: Waiting[]
}

/** A request that waits until all brokers in sync have its batch. */
export interface Waiting {
  readonly end: bigint
  readonly done: (code: number) => void
}
