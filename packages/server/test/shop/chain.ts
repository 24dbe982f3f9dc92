import { randomUUID } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import {
  checkpointKey,
  checkpointPartition,
  createSystemTopics,
  encodeAt,
  encodeCheckpoint,
  encodeReverts,
  registerTopics,
  reorganisationRecord,
  systemTopics,
} from '@headrace/catalog'
import type { Queue, Transaction } from '@headrace/queue'
import type { RecordJson } from '../clients/shapes.ts'
import { compileOrders, shopOpened } from './shop.ts'

/** A record in the log of a partition. */
export interface ChainRecord {
  readonly partition: number
  readonly seq: number
  readonly unit: number
  readonly time: number
  readonly reverts?: number
}

export interface ChainUnit {
  /** Partition of each record, in order. */
  readonly partitions: readonly number[]
  /** Number of canonical units that are reverted first, except final ones. */
  readonly revertUnits?: number
  /** Time before it, in ms. */
  readonly after?: number
  /** How many of the newest canonical units can still be reverted after it. Default: all since the last final one. */
  readonly revertible?: number
}

/** Publishes units of a topic and reverts some, like a connector, and keeps the canonical records. */
export interface Chain {
  readonly topic: string
  /** The log of each partition: all committed records, reverts included. */
  readonly log: readonly (readonly ChainRecord[])[]
  /** Publishes units in one transaction. */
  publish(...units: readonly ChainUnit[]): Promise<void>
  /** Sends units in a transaction that is aborted. */
  abort(...units: readonly ChainUnit[]): Promise<void>
  /** Current length of the log of each partition. */
  head(): readonly number[]
  /** Current number of final records in the log of each partition. */
  final(): readonly number[]
}

export interface OpenChainOptions {
  readonly topic: string
  readonly partitions: number
}

interface State {
  readonly log: ChainRecord[][]
  /** For each canonical unit, the length of each log before it. */
  canonical: { readonly unit: number; readonly before: readonly number[] }[]
  unit: number
  now: number
  final: { readonly unit: number; readonly nextSeq: readonly number[] } | undefined
}

export async function openChain(queue: Queue, { topic, partitions }: OpenChainOptions): Promise<Chain> {
  const lineage = topic.split('.').slice(0, 3).join('.')
  const writerId = `${lineage}/main`
  const schema = await compileOrders()
  const message = schema.message('acme.shop.Order')!
  await createSystemTopics(queue)
  await queue.createTopics([{ name: topic, partitions }])
  const { descriptors } = schema
  const connector = { owner: 'acme', package: 'shop', version: '1.0.0' }
  const rendering = { message: 'acme.shop.Order', descriptors, key: 'number', time: 'ts', bytes: 'hex' as const }
  await registerTopics(queue, [{ topic, lineage, instance: 'main', connector, ...rendering, partitions }])
  const writer = await queue.openWriter({ id: writerId, claim: randomUUID() })
  const log: ChainRecord[][] = Array.from({ length: partitions }, () => [])
  let state: State = { log, canonical: [], unit: 0, now: shopOpened, final: undefined }

  const send = (transaction: Transaction, units: readonly ChainUnit[]): State => {
    const next = copyOf(state)
    for (const unit of units) {
      next.unit++
      next.now += unit.after ?? 1000
      if (unit.revertUnits) sendReverts(transaction, next, unit.revertUnits)
      next.canonical.push({ unit: next.unit, before: next.log.map((log) => log.length) })
      for (const partition of unit.partitions) sendRecord(transaction, next, { partition })
      next.final = finalAfter(next, unit.revertible)
    }
    const nextSeq = { [topic]: next.log.map((log) => log.length) }
    const final = next.final ? { unit: next.final.unit, nextSeq: { [topic]: next.final.nextSeq } } : null
    const value = encodeCheckpoint({ position: 0, unit: next.unit, previous: null, nextSeq, final, time: {} })
    const [partition, key] = [checkpointPartition(writerId), checkpointKey(writerId)]
    transaction.send({ topic: systemTopics.checkpoints, partition, key, value, time: Date.now() })
    return next
  }
  return {
    topic,
    get log() {
      return state.log
    },
    async publish(...units) {
      const transaction = writer.begin()
      const next = send(transaction, units)
      await transaction.commit()
      state = next
    },
    async abort(...units) {
      const transaction = writer.begin()
      send(transaction, units)
      await transaction.drain()
      await transaction.abort()
    },
    head: () => state.log.map((log) => log.length),
    final: () => state.final?.nextSeq ?? state.log.map(() => 0),
  }

  function sendReverts(transaction: Transaction, next: State, count: number): void {
    const { canonical, final } = next
    const firstRevertible = canonical.findIndex(({ unit }) => unit > (final?.unit ?? 0))
    if (firstRevertible < 0) return
    const from = canonical.splice(Math.max(firstRevertible, canonical.length - count))[0]?.before
    if (!from) return
    for (const [partition, log] of next.log.entries()) {
      const canonical = canonicalIn(log).filter(({ seq }) => seq >= from[partition]!)
      if (canonical.length === 0) continue
      for (const { seq } of canonical.toReversed()) sendRecord(transaction, next, { partition, reverts: seq })
      const [first, last] = [canonical[0]!.seq, log.length - 1]
      transaction.send(reorganisationRecord(writerId, { topic, partition, first, last, unit: next.unit }))
    }
  }

  function sendRecord(
    transaction: Transaction,
    { log, unit, now: time }: State,
    { partition, reverts }: { partition: number; reverts?: number },
  ): void {
    const seq = log[partition]!.length
    const ts = { seconds: BigInt(Math.floor(time / 1000)), nanos: 0 }
    const value = toBinary(message, create(message, { number: BigInt(reverts ?? seq), ts }))
    const headers = [{ key: 'at', value: encodeAt(unit, seq) }]
    if (reverts !== undefined)
      headers.push({ key: 'op', value: Buffer.from('revert') }, { key: 'reverts', value: encodeReverts(reverts) })
    transaction.send({ topic, partition, key: null, value, headers, time })
    log[partition]!.push({ partition, seq, unit, time, ...(reverts !== undefined && { reverts }) })
  }
}

/** The canonical records of a log. */
export function canonicalIn(log: readonly ChainRecord[]): ChainRecord[] {
  const dead = new Set(log.flatMap(({ reverts }) => (reverts === undefined ? [] : [reverts])))
  return log.filter(({ seq, reverts }) => reverts === undefined && !dead.has(seq))
}

/** Names of the canonical records as of a head, in order of time and partition. */
export function canonicalNames({ log }: Chain, head: readonly number[]): string[] {
  const canonical = log.flatMap((records, partition) => canonicalIn(records.slice(0, head[partition])))
  return canonical
    .sort((one, other) => one.time - other.time || one.partition - other.partition || one.seq - other.seq)
    .map(nameOf)
}

export function nameOf({ partition, seq }: Pick<ChainRecord, 'partition' | 'seq'>): string {
  return `${partition}:${seq}`
}

/** Applies appends and reverts. A repeated record and a revert of an unknown record are errors. */
export function applied(records: readonly RecordJson[], held: Set<string> = new Set()): Set<string> {
  for (const { partition, seq, op, reverts } of records) {
    const name = `${partition}:${seq}`
    const done = op === 'revert' ? held.delete(`${partition}:${reverts}`) : !held.has(name) && held.add(name)
    if (!done) throw new Error(`${op} ${name} of what is ${op === 'revert' ? 'not ' : ''}there: ${reverts ?? ''}`)
  }
  return held
}

/** Never goes back. */
function finalAfter({ log, canonical, final }: State, revertible = Number.POSITIVE_INFINITY): State['final'] {
  const last = canonical.at(-1 - revertible)
  if (!last || last.unit <= (final?.unit ?? 0)) return final
  const next = canonical[canonical.indexOf(last) + 1]
  return { unit: last.unit, nextSeq: next?.before ?? log.map(({ length }) => length) }
}

function copyOf({ log, canonical, unit, now, final }: State): State {
  return { log: log.map((records) => [...records]), canonical: [...canonical], unit, now, final }
}
