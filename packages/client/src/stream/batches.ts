import type { Batch, DataRecord } from '../batch.ts'
import { RecordsMissingError } from '../errors.ts'
import { createSequence, type Sequence } from '../sequence.ts'
import type { Progress, StreamGap, StreamMessage } from './connection.ts'

/**
 * Omits records that were read before.
 *
 * @throws {RecordsMissingError} records are lost and `onGap` is `error`.
 */
export type ToBatches = (messages: readonly StreamMessage[]) => Generator<Batch<unknown>, void, void>

const maxRecords = 1000

/** @param places - Topic → cursor. Updated with each batch. */
export function createBatches(places: Map<string, string>, onGap: 'error' | 'skip'): ToBatches {
  const sequences = new Map<string, Sequence>()
  const units = new Map<string, string>()
  return function* (messages) {
    const run: DataRecord<unknown>[] = []
    for (const message of messages) {
      const record = message.kind === 'record' ? message.record : undefined
      const continues = record?.topic === run[0]?.topic && run.length < maxRecords
      if (run.length > 0 && !continues) yield close(run)
      if (message.kind === 'gap') yield skip(message.gap)
      else if (message.kind === 'progress') yield* progressed(message.progress)
      else if (message.kind === 'start') sequenceOf(message.topic).begin(message.nextSeqs)
      else {
        const found = sequenceOf(message.record.topic).take(message.record)
        if (found instanceof RecordsMissingError) {
          if (run.length > 0) yield close(run)
          yield missing(found)
        }
        if (found !== 'repeated') run.push(message.record)
      }
    }
    if (run.length > 0) yield close(run)
  }

  function close(run: DataRecord<unknown>[]): Batch<unknown> {
    const records = run.splice(0)
    const { topic, cursor } = records.at(-1)!
    places.set(topic, cursor)
    return { topic, records, cursor }
  }

  function skip({ topic, after, resumeAt, reason }: StreamGap): Batch<unknown> {
    // After `retention`, seqs continue with a higher one. Otherwise they start from 0 again.
    if (reason === 'retention') sequences.get(topic)?.allowJump()
    else sequences.delete(topic)
    places.set(topic, resumeAt)
    return { topic, records: [], cursor: resumeAt, gap: { after, reason } }
  }

  function* progressed({ cursors, units: whole, nextSeqs = {} }: Progress): Generator<Batch<unknown>, void, void> {
    for (const [topic, seqs] of Object.entries(nextSeqs)) sequenceOf(topic).cover(seqs)
    for (const [topic, cursor] of Object.entries(cursors)) {
      const unit = whole[topic]
      const isNew = cursor !== places.get(topic) || (unit !== undefined && unit !== units.get(topic))
      if (!isNew) continue
      places.set(topic, cursor)
      if (unit !== undefined) units.set(topic, unit)
      yield { topic, records: [], cursor, ...(unit === undefined ? {} : { wholeThrough: unit }) }
    }
  }

  function missing(loss: RecordsMissingError): Batch<unknown> {
    if (onGap === 'error') throw loss
    const cursor = places.get(loss.topic)!
    return { topic: loss.topic, records: [], cursor, gap: { after: cursor, reason: 'missing' } }
  }

  function sequenceOf(topic: string): Sequence {
    const known = sequences.get(topic)
    if (known) return known
    const made = createSequence({ order: 'asc', view: 'log' })
    sequences.set(topic, made)
    return made
  }
}
