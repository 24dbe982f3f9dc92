import { decodeCursor } from '@headrace/catalog'
import type { SinkDefinition } from '../destination/destination.ts'
import type { Applied } from './apply-batches.ts'

/** Updated when batches have become durable. */
export interface SinkMeter {
  readonly startedAt: number
  /** What runs, once it does. */
  sink: (Pick<SinkDefinition, 'kind' | 'records'> & { readonly name: string }) | undefined
  /** `retrying`: the destination or the gateway has failed, and will be tried again. */
  state: 'starting' | 'running' | 'retrying'
  batches: number
  /** Applied, without reverts. */
  records: number
  reverts: number
  /** Failures after which the destination was opened again. */
  retries: number
  /** Ms since the Unix epoch. */
  lastApplyAt: number | undefined
  /** Records between the last applied one and the head, by topic, as of some seconds ago. */
  readonly lag: Map<string, number>
  /** The cursor of the last applied batch, by topic. */
  readonly cursors: Map<string, string>
}

export function createSinkMeter(): SinkMeter {
  return {
    ...{ startedAt: Date.now(), state: 'starting', batches: 0, records: 0, reverts: 0, retries: 0 },
    ...{ sink: undefined, lastApplyAt: undefined, lag: new Map(), cursors: new Map() },
  }
}

export function countApplied(meter: SinkMeter, { topic, cursor, batches, records, reverts }: Applied): void {
  meter.state = 'running'
  meter.batches += batches
  meter.records += records
  meter.reverts += reverts
  meter.lastApplyAt = Date.now()
  meter.cursors.set(topic, cursor)
}

/** By offsets, which also count the markers of transactions in Kafka. */
export function lagBehind(headCursor: string, cursor: string | undefined): number {
  const places = cursor === undefined ? [] : decodeCursor(cursor).topics[0]!.partitions
  const heads = decodeCursor(headCursor).topics[0]!.partitions
  return heads.reduce((sum, head, partition) => {
    const place = places[partition]
    const bySeq = head.seq !== null && place?.seq != null ? head.seq - place.seq : undefined
    return sum + Math.max(0, bySeq ?? Number(head.offset - (place?.offset ?? 0n)))
  }, 0)
}
