import { randomUUID } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import {
  checkpointKey,
  checkpointPartition,
  createSystemTopics,
  deadIntervalRecord,
  encodeAt,
  encodeCheckpoint,
  encodeReverts,
  registerTopics,
  systemTopics,
} from '@headrace/catalog'
import type { Queue, Transaction } from '@headrace/queue'
import type { RecordJson } from '../clients/shapes.ts'
import { compileOrders, shopOpened } from './shop.ts'

/** A record as the log of a partition has it. */
export interface ChainRecord {
  readonly partition: number
  readonly seq: number
  readonly unit: number
  readonly time: number
  readonly reverts?: number
}

export interface ChainUnit {
  /** The partition of each record, in order. */
  readonly partitions: readonly number[]
  /** How many standing units are taken back first. */
  readonly takesBack?: number
  /** Ms that pass before it. */
  readonly after?: number
}

/** Publishes units of a topic that may be taken back, as a connector does, and knows what is true. */
export interface Chain {
  readonly topic: string
  /** The log of each partition: everything committed, reverts included. */
  readonly log: readonly (readonly ChainRecord[])[]
  /** Publishes units in one transaction. */
  publish(...units: readonly ChainUnit[]): Promise<void>
  /** Sends units in a transaction that is aborted. */
  abort(...units: readonly ChainUnit[]): Promise<void>
  /** How long the log of each partition is now. */
  head(): readonly number[]
}

export interface OpenChainOptions {
  readonly topic: string
  readonly partitions: number
}

interface State {
  readonly log: ChainRecord[][]
  /** Units that stand: what the log of each partition had before it. */
  standing: { readonly unit: number; readonly before: readonly number[] }[]
  unit: number
  now: number
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
  let state: State = { log: Array.from({ length: partitions }, () => []), standing: [], unit: 0, now: shopOpened }

  const send = (transaction: Transaction, units: readonly ChainUnit[]): State => {
    const next = copyOf(state)
    for (const unit of units) {
      next.unit++
      next.now += unit.after ?? 1000
      if (unit.takesBack) sendReverts(transaction, next, unit.takesBack)
      next.standing.push({ unit: next.unit, before: next.log.map((log) => log.length) })
      for (const partition of unit.partitions) sendRecord(transaction, next, { partition })
    }
    const nextSeq = { [topic]: next.log.map((log) => log.length) }
    const value = encodeCheckpoint({ position: 0, unit: next.unit, previous: null, nextSeq, final: null, time: {} })
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
  }

  function sendReverts(transaction: Transaction, next: State, count: number): void {
    const from = next.standing.splice(-count)[0]?.before
    if (!from) return
    for (const [partition, log] of next.log.entries()) {
      const standing = standingIn(log).filter(({ seq }) => seq >= from[partition]!)
      if (standing.length === 0) continue
      for (const { seq } of standing.toReversed()) sendRecord(transaction, next, { partition, reverts: seq })
      const [first, last] = [standing[0]!.seq, log.length - 1]
      transaction.send(deadIntervalRecord(writerId, { topic, partition, first, last, unit: next.unit }))
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

/** What is true of a log. */
export function standingIn(log: readonly ChainRecord[]): ChainRecord[] {
  const dead = new Set(log.flatMap(({ reverts }) => (reverts === undefined ? [] : [reverts])))
  return log.filter(({ seq, reverts }) => reverts === undefined && !dead.has(seq))
}

/** What is true of a topic as of a head, in order of time and partition, as names. */
export function truthOf({ log }: Chain, head: readonly number[]): string[] {
  const standing = log.flatMap((records, partition) => standingIn(records.slice(0, head[partition])))
  return standing
    .sort((one, other) => one.time - other.time || one.partition - other.partition || one.seq - other.seq)
    .map(nameOf)
}

export function nameOf({ partition, seq }: Pick<ChainRecord, 'partition' | 'seq'>): string {
  return `${partition}:${seq}`
}

/** What a reader holds who takes back what it is told to; a record it has already, or has not, is an error. */
export function applied(records: readonly RecordJson[], held: Set<string> = new Set()): Set<string> {
  for (const { partition, seq, op, reverts } of records) {
    const name = `${partition}:${seq}`
    const done = op === 'revert' ? held.delete(`${partition}:${reverts}`) : !held.has(name) && held.add(name)
    if (!done) throw new Error(`${op} ${name} of what is ${op === 'revert' ? 'not ' : ''}there: ${reverts ?? ''}`)
  }
  return held
}

function copyOf({ log, standing, unit, now }: State): State {
  return { log: log.map((records) => [...records]), standing: [...standing], unit, now }
}
