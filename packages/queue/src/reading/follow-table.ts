import { setTimeout as delay } from 'node:timers/promises'
import { PositionLostError, UnknownTopicError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { PartitionOffset, Queue } from '../queue.ts'
import type { QueueRecord } from '../record-batch/record-batch.ts'
import { readTable } from './read-table.ts'

export interface FollowTableOptions<Value> {
  readonly topic: string
  readonly signal: AbortSignal
  readonly log: Logger
  /**
   * Not called for tombstones. `undefined`: the key has no value. `followTable` throws an error during the first read.
   * A later one is logged, and the previous value is kept.
   */
  decode(record: QueueRecord): Value | undefined
  /** Called after each change, in the order of the topic. `undefined`: no value. */
  onChange?(key: string, value: Value | undefined, before: Value | undefined): void
}

/**
 * Keeps a map of the newest values of a compacted topic, by key as UTF-8 text. Resolves when it has everything that was
 * committed before the call, and updates it until the signal is aborted. Later errors are logged and retried. A topic
 * that was created again or truncated is read from its start.
 *
 * @throws {UnknownTopicError}
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
        return
      } catch (error) {
        if (signal.aborted) return
        log.warn({ topic, err: error }, 'topic cannot be followed, trying again')
        await delay(retryMs, undefined, { signal }).catch(() => {})
        if (error instanceof PositionLostError) await readAgain()
      }
    }
  }

  async function readAgain(): Promise<void> {
    for (const [key, before] of [...values]) change(key, undefined, before)
    place = await readAll(decodeOrLog).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ topic, err: error }, 'topic cannot be read, trying again')
      // This offset never exists, so `follow` throws PositionLostError again.
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
