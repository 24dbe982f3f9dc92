import type { World } from '../world/world.ts'
import type { Announce } from './announcements.ts'
import type { Broker } from './broker.ts'
import type { FetchView, ReadPosition } from './partition-reading.ts'
import type { Leadership } from './partition-term.ts'
import type { LoggedBatch } from './replica.ts'
import type { Verification } from './verification.ts'

export interface PartitionOptions {
  readonly world: World
  readonly topic: string
  readonly index: number
  readonly brokers: readonly Broker[]
  /** Of the topic. */
  readonly configs: ReadonlyMap<string, string>
  /** `min.insync.replicas`. */
  readonly minInSync: number
  /** How long a message between two brokers takes, in ms. */
  readonly brokerDelay: () => number
  readonly announce: Announce
  /** Is handed the batches that readers of committed records can see from now on, in the order of their offsets. */
  readonly onStable: (batches: readonly LoggedBatch[]) => void
}

export interface ProduceOptions {
  readonly timeoutMs: number
  /** What `verify` returned. */
  readonly verified: Verification | undefined
}

export interface MarkerOptions {
  readonly coordinatorEpoch: number
  /** Whether its epoch is one above that of its transaction, so that a late one is told from the next (KIP-890). */
  readonly bumped: boolean
}

/** A replicated log: a leader that takes batches, followers that fetch them, and a high watermark that they learn late. */
export interface Partition {
  readonly topic: string
  readonly index: number
  readonly leadership: Leadership
  /** How many brokers are in sync, as the controller knows it. */
  readonly inSync: number
  /** The leadership as one broker knows it: what the controller has decided reaches it later. */
  known(node: number): Leadership
  /** Begins to verify a batch of a transaction, as `beginVerification`. */
  verify(node: number, bytes: Uint8Array, adds: boolean): Verification | number | undefined
  /** Appends as the leader that a broker takes itself for. Resolves with the error code when all in sync have it. */
  produce(node: number, bytes: Uint8Array, options: ProduceOptions): Promise<number>
  writeMarker(node: number, bytes: Uint8Array, options: MarkerOptions): Promise<number>
  read(node: number, at: ReadPosition): FetchView
  offset(
    node: number,
    epoch: number,
    which: 'earliest' | 'highWatermark' | 'lastStable',
  ): { code: number; offset: bigint }
  /** Resolves when a reader can see more than before, or the leadership has changed. */
  news(): Promise<void>
  /** Elects a broker that is in sync, where one is up. */
  elect(preferred?: number): void
  /** The controller has noticed that a broker is gone, or there again. */
  brokerChanged(broker: Broker): void
  /** Tells a broker what is decided. */
  announce(broker: Broker): void
  /** A process of a broker begins. */
  brokerStarted(broker: Broker): void
  /** The process that has begun knows what the controller has decided. */
  brokerServes(broker: Broker): void
  /** The topic is deleted: brokers learn of it one after the other. */
  remove(): void
  /** Compacts the copies of some brokers, up to any batch but the last. Does nothing where the topic is not compacted. */
  compact(): void
  /**
   * Removes what is before an offset from every copy, as retention does. Returns false, and removes nothing, where a copy
   * in sync has a lower high watermark.
   */
  retainFrom(offset: bigint): boolean
  /** Removes what is before an offset. −1: before the high watermark. */
  deleteBefore(node: number, offset: bigint): { code: number; logStart: bigint }
  /**
   * Until when a broker took itself for the leader and had been replaced, in ms since the beginning; −1: never. A reader
   * that it answers reads what was there before.
   */
  readonly staleUntil: number
}
