import type { World } from '../world/world.ts'
import type { Announce } from './announcements.ts'
import type { Broker } from './broker.ts'
import type { FetchView, ReadPosition } from './partition-reading.ts'
import type { Leadership } from './partition-term.ts'
import type { Verification } from './producer-state.ts'
import type { LoggedBatch } from './replica.ts'

export interface PartitionOptions {
  readonly world: World
  readonly topic: string
  readonly index: number
  readonly brokers: readonly Broker[]
  /** Settings of the topic. */
  readonly configs: ReadonlyMap<string, string>
  /** `min.insync.replicas`. */
  readonly minInSync: number
  /** Delay of a message between two brokers, in ms. */
  readonly brokerDelay: () => number
  readonly announce: Announce
  /** Called with the batches that become visible to readers of committed records, in the order of offsets. */
  readonly onStable: (batches: readonly LoggedBatch[]) => void
}

export interface ProduceOptions {
  readonly timeoutMs: number
  /** The result of `verify`. */
  readonly verified: Verification | undefined
}

export interface MarkerOptions {
  readonly coordinatorEpoch: number
  /** Whether its epoch is one above that of its transaction, so that a late marker can be detected (KIP-890). */
  readonly bumped: boolean
}

/** A replicated log. Followers fetch from the leader and learn the high watermark later. */
export interface Partition {
  readonly topic: string
  readonly index: number
  readonly leadership: Leadership
  /** Number of brokers in sync, as the controller knows it. */
  readonly inSync: number
  /** The leadership as a broker knows it, later than the controller. */
  known(node: number): Leadership
  /** Begins to verify a batch of a transaction: see `beginVerification`. */
  verify(node: number, bytes: Uint8Array, adds: boolean): Verification | number | undefined
  /** Appends if the broker considers itself the leader. Resolves to the error code when all in sync have the batch. */
  produce(node: number, bytes: Uint8Array, options: ProduceOptions): Promise<number>
  writeMarker(node: number, bytes: Uint8Array, options: MarkerOptions): Promise<number>
  read(node: number, at: ReadPosition): FetchView
  offset(
    node: number,
    epoch: number,
    which: 'earliest' | 'highWatermark' | 'lastStable',
  ): { code: number; offset: bigint }
  /** Resolves when readers can see more, or the leadership has changed. */
  changed(): Promise<void>
  /** Elects a broker that is in sync and up, if there is one. */
  elect(preferred?: number): void
  /** The controller has noticed that a broker is down, or up again. */
  brokerChanged(broker: Broker): void
  /** Notifies a broker of the leadership. */
  announce(broker: Broker): void
  /** The process of a broker starts. */
  brokerStarted(broker: Broker): void
  /** The new process has learned the decisions of the controller. */
  brokerServes(broker: Broker): void
  /** Deletes it. Brokers learn of it one after the other. */
  remove(): void
  /**
   * Compacts the replicas of some brokers up to any batch but the last. Without effect unless the topic is compacted.
   */
  compact(): void
  /**
   * Removes the records before an offset from every replica, as retention does. Returns false without effect if a
   * replica in sync has a lower high watermark.
   */
  retainFrom(offset: bigint): boolean
  /** Removes the records before an offset. −1: before the high watermark. */
  deleteBefore(node: number, offset: bigint): { code: number; logStart: bigint }
  /**
   * Time until which a replaced broker considered itself the leader, in ms since the start; −1: never. It returns old
   * data to readers.
   */
  readonly staleUntil: number
}
