import { setTimeout as delay } from 'node:timers/promises'
import { PositionLostError, UnknownTopicError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { PartitionOffset, Queue } from '../queue.ts'
import type { QueueRecord } from '../record-batch/record-batch.ts'
import { readTable } from './read-table.ts'

export interface FollowTableOptions<Value> {
  /** A compacted topic of one partition. */
  readonly topic: string
  /** Ends the following. */
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * Reads the value of a record that is no tombstone. `undefined`: the key has none. What it throws while the table is
   * read for the first time ends `followTable`; later it is logged, and the value before stays.
   */
  decode(record: QueueRecord): Value | undefined
  /** Called after each change, in the order of the topic. A value that is `undefined` has been removed. */
  onChange?(key: string, value: Value | undefined, before: Value | undefined): void
}

/**
 * Follows a compacted topic as a live map of its newest values, by key as UTF-8 text.
 *
 * Resolves when everything is in the map that was committed before the call, and keeps it up to date until the signal is
 * aborted. What goes wrong after that is logged and tried again; until it works the map stays as it is. When the topic
 * was deleted and created again, or its log was cut back, all values are removed and it is read from its start.
 *
 * @throws {UnknownTopicError} there is no such topic.
 */
export async function followTable<Value>(
  queue: Queue,
  options: FollowTableOptions<Value>,
): Promise<ReadonlyMap<string, Value>> {
  const { topic, signal, log, decode, onChange } = options
  const values = new Map<string, Value>()
  let place = await readAll(decode)
  void keepUpToDate()
  return values

  /** Reads the topic from its start to its end, and gives the place after it. */
  async function readAll(decodeRecord: Decode<Value>): Promise<PartitionOffset> {
    const [description] = await queue.describe([topic])
    if (!description) throw new UnknownTopicError(topic)
    const at = { topic, partition: 0, topicId: description.id }
    const from = description.partitions[0]!.earliest
    const offset = await readTable(queue, { ...at, offset: from }, (record) => apply(record, decodeRecord), { signal })
    return { ...at, offset }
  }

  async function keepUpToDate(): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const batch of queue.follow([place], { signal })) {
          for (const record of batch.records()) apply(record, decodeOrLog)
          place = { ...place, offset: batch.nextOffset }
        }
        // It ends quietly when the signal is aborted or the queue closed.
        return
      } catch (error) {
        if (signal.aborted) return
        log.warn({ topic, err: error }, 'topic cannot be followed, trying again')
        await delay(retryMs, undefined, { signal }).catch(() => {})
        if (error instanceof PositionLostError) await startAgain()
      }
    }
  }

  async function startAgain(): Promise<void> {
    for (const [key, before] of [...values]) change(key, undefined, before)
    place = await readAll(decodeOrLog).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ topic, err: error }, 'topic cannot be read, trying again')
      // Nothing has this offset: the next attempt ends up here again.
      return { ...place, offset: -1n }
    })
  }

  function apply(record: QueueRecord, decodeRecord: Decode<Value>): void {
    if (record.key === null) return
    const key = Buffer.from(record.key).toString()
    change(key, record.value === null ? undefined : decodeRecord(record), values.get(key))
  }

  function decodeOrLog(record: QueueRecord): Value | undefined {
    try {
      return decode(record)
    } catch (error) {
      log.error({ topic, offset: record.offset, err: error }, 'record cannot be read')
      return values.get(Buffer.from(record.key!).toString())
    }
  }

  function change(key: string, value: Value | undefined, before: Value | undefined): void {
    if (value === undefined) values.delete(key)
    else values.set(key, value)
    if (value !== undefined || before !== undefined) onChange?.(key, value, before)
  }
}

type Decode<Value> = FollowTableOptions<Value>['decode']

const retryMs = 1_000
