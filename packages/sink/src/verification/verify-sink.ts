import { decodeCursor, encodeCursor } from '@headrace/catalog'
import { type Logger, UserError } from '@headrace/queue'
import type { Destination, SinkDefinition, StoredRow } from '../destination/destination.ts'
import { convertClientError } from '../errors.ts'
import { type DescribedTopic, describeTopic } from '../field/sink-topic.ts'
import type { SinkClient } from '../running/read-batches.ts'
import { differingField } from './compare-values.ts'
import { readPartition } from './stored-partition.ts'

export interface VerifySinkOptions {
  readonly sink: SinkDefinition
  /** Default `headrace`. */
  readonly name?: string
  readonly client: SinkClient
  readonly topics: readonly string[]
  readonly signal: AbortSignal
  readonly log: Logger
  /** Awaited before more is read. */
  onFinding(finding: SinkFinding): void | Promise<void>
}

export const sinkFindingCodes = ['row_missing', 'row_unexpected', 'row_differs'] as const

export interface SinkFinding {
  /**
   * `row_missing`: a canonical record has no row. `row_unexpected`: a row is of no canonical record. `row_differs`: a field
   * has another value.
   */
  readonly code: (typeof sinkFindingCodes)[number]
  readonly topic: string
  readonly partition: number
  /** The offset, if the records of the topic have no seq. */
  readonly seq: bigint
  readonly message: string
  readonly expected?: unknown
  readonly found?: unknown
}

export interface SinkVerification {
  /** Canonical records that were compared. */
  readonly records: number
  /** Rows that are older than what the topic still holds. They were not compared. */
  readonly older: number
  readonly findings: number
  /** Topics of which the sink has stored no cursor yet. */
  readonly notStarted: readonly string[]
}

/**
 * Compares what a sink has stored with the canonical records of its topics up to its cursor. The sink may be running.
 *
 * @throws {UserError} the destination cannot be read.
 */
export async function verifySink(options: VerifySinkOptions): Promise<SinkVerification> {
  const { sink, name = 'headrace', client, log, signal } = options
  try {
    const described = await Promise.all(options.topics.map((topic) => describeTopic(client, topic, signal)))
    const topics = described.map(({ topic }) => topic)
    const destination = await sink.open({ name, topics, readOnly: true, log, signal })
    try {
      if (!destination.readRows)
        throw new UserError('invalid_destination', `A destination of the kind "${sink.kind}" keeps nothing to compare.`)
      const result = { records: 0, older: 0, findings: 0, notStarted: [] as string[] }
      for (const one of described) {
        const { topic } = one.topic
        const cursor = await destination.readCursor(topic)
        if (cursor === undefined) result.notStarted.push(topic)
        else await verifyTopic({ ...options, destination, result }, one, cursor)
      }
      return result
    } finally {
      await destination.close()
    }
  } catch (error) {
    throw convertClientError(error)
  }
}

interface Verification extends VerifySinkOptions {
  readonly destination: Destination
  readonly result: { records: number; older: number; findings: number }
}

async function verifyTopic(
  verification: Verification,
  { topic, earliestCursor }: DescribedTopic,
  cursor: string,
): Promise<void> {
  const { destination, client, signal, sink, result } = verification
  const { topic: name } = topic
  const partitions = Array.from({ length: topic.partitions }, (_, partition) =>
    readPartition(destination, name, partition),
  )
  const started = new Set<number>()
  const isWhole = startsAtBeginning(earliestCursor)
  const { place, isLog } = placeOf(cursor)
  /** The newest canonical record of each key, and whether it has a row. */
  const keys = sink.rows === 'key' ? new Map<string | null, Newest>() : undefined
  let later: LaterReverts | undefined

  for await (const { records, headCursor } of client.history({ topic: name, to: place, signal })) {
    // The canonical view is as of this head, so the reverts before it are those that the sink may not have applied.
    later ??= await readReverts(client, { topic: name, from: place, to: headCursor, signal })
    for (const { partition, seq: known, offset, value, key } of records) {
      const seq = BigInt(known ?? offset)
      const stored = partitions[partition]!
      const isOlder = !isWhole && !started.has(partition)
      started.add(partition)
      for (let row = await stored.takeBefore(seq); row; row = await stored.takeBefore(seq))
        if (isOlder) result.older++
        else await unexpected(row, partition)
      const row = await stored.take(seq)
      result.records++
      if (row) await compare({ partition, seq, key, value }, row)
      else if (!keys) await missing({ partition, seq })
      keys?.set(key, { partition, seq, hasRow: row !== undefined || value === null })
    }
  }
  for (const [partition, stored] of partitions.entries())
    for (let row = await stored.takeNext(); row; row = await stored.takeNext()) await unexpected(row, partition)
  if (isLog && !keys) for (const one of later?.all() ?? []) await missing(one)
  for (const newest of keys?.values() ?? []) if (!newest.hasRow) await missing(newest)

  async function unexpected({ seq, key }: StoredRow, partition: number): Promise<void> {
    // The record was canonical at the cursor, and was reverted later.
    if (later?.take(partition, seq)) return void keys?.delete(key)
    const message = 'The row is of no canonical record.'
    await report({ code: 'row_unexpected', topic: name, partition, seq, message })
  }

  async function missing({ partition, seq }: Place): Promise<void> {
    const message = 'The record has no row.'
    await report({ code: 'row_missing', topic: name, partition, seq, message })
  }

  async function compare(record: Place & Pick<StoredRow, 'key' | 'value'>, row: StoredRow): Promise<void> {
    const { partition, seq, key, value } = record
    const at = { code: 'row_differs', topic: name, partition, seq } as const
    if (row.key !== key)
      return report({ ...at, message: 'The row has another key than the record.', expected: key, found: row.key })
    const field = differingField(topic, value, row.value)
    if (field === undefined) return
    const [expected, found] = topic.fields ? [value?.[field], row.value?.[field]] : [value, row.value]
    await report({ ...at, message: `The row has another ${field} than the record.`, expected, found })
  }

  async function report(finding: SinkFinding): Promise<void> {
    result.findings++
    await verification.onFinding(finding)
  }
}

interface Place {
  readonly partition: number
  readonly seq: bigint
}

interface Newest extends Place {
  readonly hasRow: boolean
}

function startsAtBeginning(earliestCursor: string): boolean {
  return decodeCursor(earliestCursor).topics[0]!.partitions.every(({ offset }) => offset === 0n)
}

/** `isLog`: the sink has applied everything before the place, reverts included. */
function placeOf(cursor: string): { readonly place: string; readonly isLog: boolean } {
  const [topic] = decodeCursor(cursor).topics
  const { asOf, ...place } = topic!
  return { place: encodeCursor({ topics: [place] }), isLog: asOf === undefined }
}

/** Records before a place that are reverted after it. */
interface LaterReverts {
  take(partition: number, seq: bigint): boolean
  all(): Iterable<Place>
}

async function readReverts(
  client: SinkClient,
  { topic, from, to, signal }: { topic: string; from: string; to: string; signal: AbortSignal },
): Promise<LaterReverts> {
  const reverted = new Map<string, Place>()
  const places = decodeCursor(from).topics[0]!.partitions
  for await (const { records } of client.history({ topic, from, to, view: 'log', signal }))
    for (const record of records) {
      if (record.op !== 'revert') continue
      const { partition, reverts } = record
      // A record after the place is not in the destination.
      if (BigInt(reverts) < (places[partition]?.seq ?? 0))
        reverted.set(`${partition} ${reverts}`, { partition, seq: BigInt(reverts) })
    }
  return {
    take: (partition, seq) => reverted.delete(`${partition} ${seq}`),
    all: () => reverted.values(),
  }
}
