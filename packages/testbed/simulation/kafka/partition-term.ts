import type { PartitionState } from './producer-state.ts'

/** What the controller has decided of a partition. */
export interface Leadership {
  /** −1: there is none. */
  readonly leader: number
  readonly epoch: number
}

/** A term of leadership, in the memory of the broker that takes itself for the leader. */
export interface Term {
  readonly epoch: number
  readonly state: PartitionState
  /** How far the followers have come, from their fetches in this term. */
  readonly followed: Map<number, bigint>
  /** Offset at which the term begins. Before the high watermark has come here, the leader does not know the end. */
  readonly start: bigint
  /** The brokers that have to have a batch before it is acknowledged. */
  readonly inSync: Set<number>
  /** Whether it looks for followers that have fallen behind. */
  looksForLag: boolean
  waiting: Waiting[]
}

/** A request that waits until all in sync have its batch. */
export interface Waiting {
  readonly end: bigint
  readonly done: (code: number) => void
}
