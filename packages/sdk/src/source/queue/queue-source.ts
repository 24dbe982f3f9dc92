import {
  type CursorTopic,
  decodeCursor,
  encodeCursor,
  isTracing,
  type NextSeqs,
  traceparentKey,
} from '@headrace/catalog'
import type { Source } from '../../connector/connector.ts'
import type { Schema } from '../../connector/schema.ts'
import { invalidInput } from './input-errors.ts'
import { openInput } from './open-input.ts'
import { type OpenedTopic, openTopics } from './open-topics.ts'
import type { InputPlace, InputTopics, MissingMessage, QueueCheckpoint, QueueInput } from './queue-input.ts'
import type { InputUnit } from './unit-stream.ts'

export interface QueueSourceOptions<M> {
  /** Topics of one connector instance, or topics without `at` headers, in the queue that the run publishes to. */
  readonly topics: InputTopics<M>
  /** Where to begin where nothing was published yet. Default `earliest`. */
  readonly from?: 'earliest' | 'latest'
  /** `false` ends after what is there at the start. Default true. */
  readonly follow?: boolean
}

/**
 * Reads topics of the queue as the input of a connector, exactly once. Yield one unit for each, with its `place`.
 *
 * - **Units.** A unit is yielded when all of its records in the topics were read. A record without an `at` header is a
 *   unit of its own.
 * - **Reverts.** If a unit of the input reverts others, `place.revertTo` is the newest checkpoint of this connector
 *   before the first reverted record.
 * - **Final.** What is final in the input is final in `place`. If only that moves, a unit without messages is yielded.
 * - **Order.** Units as in the input; messages partition by partition. There is no order between partitions of topics
 *   without `at` headers.
 * - **Start.** After `history()[0]`; at first with the earliest whole unit.
 * - **End.** With `follow: false`, after what was there at the start. When `signal` is aborted it throws the reason.
 *
 * @throws {RetryableError} `input_missing`: a topic does not exist yet.
 * @throws {UserError} `input_lost`: the next records are gone. `input_changed`: other topics than before.
 *   `invalid_input`: topics of several connector instances, an unregistered topic without a decoder, a dry run, or a
 *   unit with reverts that was not yielded.
 *
 * @example
 * ```ts
 * export default defineConnector({
 *   schema,
 *   async *read(source: Source<typeof schema, QueueCheckpoint>): Units<typeof schema, QueueCheckpoint> {
 *     const input = queueSource<{ Block: BlockJson }>(source, { topics: { Block: source.config.blocks } })
 *     for await (const { place, messages } of input)
 *       yield { ...place, messages: { Gas: messages.Block.map(({ Number, GasUsed }) => ({ Number, GasUsed })) } }
 *   },
 * })
 * ```
 */
export async function* queueSource<M extends Record<keyof M, unknown> = Record<string, unknown>>(
  source: Pick<Source<Schema, QueueCheckpoint>, 'queue' | 'history' | 'signal' | 'log'>,
  { topics: wanted, from = 'earliest', follow = true }: QueueSourceOptions<M>,
): AsyncGenerator<QueueInput<M>, void, undefined> {
  const { queue, history, signal, log } = source
  if (!queue) throw invalidInput('A dry run has no queue to read the input from. Run the connector: "connector run".')
  const topics = await openTopics(queue, wanted as InputTopics<Record<string, unknown>>)
  const input = await openInput({ queue, topics, from, follow, checkpoint: history()[0], signal })
  const readMessages = createMessageReader(topics)
  const passFinal = createFinal(history)

  for await (const unit of input.units) {
    const checkpoint = encodeCursor({ topics: input.places() })
    const final = input.revertible ? passFinal(unit.final, checkpoint) : checkpoint
    if (unit.records.length === 0 && (final === undefined || final === history().at(-1))) continue
    const { messages, missing } = readMessages(unit)
    for (const message of missing) log.error(message, 'input message missing')
    const isRevert = unit.records.some(({ headers }) => headers.op === 'revert')
    const revertTo = isRevert ? revertTarget(unit, history()) : undefined
    const time = unit.records.reduce((latest, { record }) => Math.max(latest, record.time), 0)
    const place: InputPlace = {
      checkpoint,
      ...(revertTo !== undefined && { revertTo }),
      ...(final !== undefined && { final }),
      ...(unit.records.length > 0 && { time: new Date(time) }),
      ...traceOf(unit),
    }
    yield { place, messages: messages as QueueInput<M>['messages'], missing }
    if (revertTo !== undefined && history()[0] !== checkpoint)
      throw invalidInput(
        'A unit of the input that reverts others was not yielded. Yield a unit for each: { ...place }.',
      )
  }
  signal.throwIfAborted()
}

/** A sampled unit has it in all records. */
function traceOf({ records: [first] }: InputUnit): Pick<InputPlace, 'traceparent'> {
  if (!first || !isTracing()) return {}
  const header = first.record.headers.find(({ key }) => key === traceparentKey)
  return header ? { traceparent: Buffer.from(header.value).toString() } : {}
}

function createFinal(
  history: () => readonly QueueCheckpoint[],
): (final: NextSeqs | null, checkpoint: QueueCheckpoint) => QueueCheckpoint | undefined {
  let seqs: NextSeqs | null = null
  let newest: QueueCheckpoint | undefined
  return (final, checkpoint) => {
    if (final === null) return undefined
    const moved = final !== seqs
    seqs = final
    const own = finalCheckpoint(final, [checkpoint])
    const found = own ?? (moved ? finalCheckpoint(final, history()) : undefined)
    if (found === undefined || found === newest) return undefined
    newest = found
    return found
  }
}

function createMessageReader(topics: readonly OpenedTopic[]) {
  const byTopic = new Map(topics.map((topic) => [topic.description.name, topic]))
  return ({ records }: InputUnit) => {
    const messages: Record<string, unknown[]> = Object.fromEntries(topics.map(({ name }) => [name, []]))
    const missing: MissingMessage[] = []
    for (const { record, headers } of records) {
      if (headers.op === 'revert') continue
      const { name, decode } = byTopic.get(record.topic)!
      const decoded = decode(record, headers)
      if ('message' in decoded) messages[name]!.push(decoded.message)
      else {
        const { topic, partition, offset } = record
        missing.push({ name, topic, partition, offset, reason: decoded.missing })
      }
    }
    return { messages, missing }
  }
}

/**
 * The newest checkpoint before the first reverted record. `null`: everything is reverted. `undefined`: nothing
 * published is.
 */
function revertTarget({ records }: InputUnit, history: readonly QueueCheckpoint[]): QueueCheckpoint | null | undefined {
  const firstReverted = new Map<string, Map<number, number>>()
  for (const { record, headers } of records) {
    if (headers.reverts === undefined) continue
    const partitions = firstReverted.get(record.topic) ?? new Map<number, number>()
    firstReverted.set(record.topic, partitions)
    partitions.set(record.partition, Math.min(headers.reverts, partitions.get(record.partition) ?? headers.reverts))
  }
  if (firstReverted.size === 0 || history.length === 0) return undefined
  const target = history.find((checkpoint) =>
    isNotAfter(checkpoint, (topic, partition) => firstReverted.get(topic)?.get(partition) ?? Number.POSITIVE_INFINITY),
  )
  return target === undefined ? null : target === history[0] ? undefined : target
}

/** The newest checkpoint of which nothing can be reverted. */
function finalCheckpoint(final: NextSeqs, history: readonly QueueCheckpoint[]): QueueCheckpoint | undefined {
  return history.find((checkpoint) => isNotAfter(checkpoint, (topic, partition) => final[topic]?.[partition] ?? 0))
}

function isNotAfter(checkpoint: QueueCheckpoint, seqOf: (topic: string, partition: number) => number): boolean {
  return decodeCursor(checkpoint).topics.every(({ topic, partitions }: CursorTopic) =>
    partitions.every(({ seq }, partition) => (seq ?? 0) <= seqOf(topic, partition)),
  )
}
