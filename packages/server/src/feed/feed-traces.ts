import {
  contextOf,
  isSampled,
  isTracing,
  messagingSystem,
  readRecordHeaders,
  traceparentKey,
  tracer,
} from '@headrace/catalog'
import type { Queue, QueueRecord } from '@headrace/queue'
import { type Context, SpanKind, trace } from '@opentelemetry/api'
import type { Run } from '../history/run.ts'

/** Continues the traces of sampled units in a gateway. */
export interface FeedTraces {
  /** A span for the records of each sampled unit in a run, from `startTime` until now. */
  read(run: Run, records: readonly QueueRecord[], startTime: number): void
  /** A span for those records in the trace of each unit, while they are given to readers. */
  push(readers: number, give: () => void): void
}

export function createFeedTraces(engine: Queue['engine']): FeedTraces {
  /** Of spans whose records no reader has been given. */
  let unseen: Context[] = []

  function readUnit({ topic, partition }: Run, { traceparent, first, count }: SampledRecords, startTime: number): void {
    const { unit } = readRecordHeaders(first.headers)
    const attributes = {
      ...{
        'messaging.system': messagingSystem(engine),
        'messaging.operation.name': 'read',
        'messaging.operation.type': 'receive',
      },
      'messaging.destination.name': topic.name,
      'messaging.destination.partition.id': `${partition}`,
      'messaging.batch.message_count': count,
      ...(unit !== undefined && { 'headrace.unit': unit }),
    }
    const parent = contextOf(traceparent)
    const span = tracer.startSpan('headrace.read', { kind: SpanKind.CONSUMER, attributes, startTime }, parent)
    span.end()
    const own = trace.setSpan(parent, span)
    if (isSampled(own)) unseen.push(own)
  }

  return {
    read(run, records, startTime) {
      if (!isTracing()) return
      for (const each of sampledRecords(records)) readUnit(run, each, startTime)
    },
    push(readers, give) {
      const parents = unseen
      unseen = []
      if (parents.length === 0 || readers === 0) return give()
      const attributes = { 'headrace.readers': readers }
      const spans = parents.map((parent) => tracer.startSpan('headrace.push', { attributes }, parent))
      give()
      for (const span of spans) span.end()
    },
  }
}

interface SampledRecords {
  readonly traceparent: string
  readonly first: QueueRecord
  count: number
}

function sampledRecords(records: readonly QueueRecord[]): Iterable<SampledRecords> {
  const found = new Map<string, SampledRecords>()
  for (const record of records) {
    const header = record.headers.find(({ key }) => key === traceparentKey)
    if (!header) continue
    const traceparent = Buffer.from(header.value).toString('latin1')
    const known = found.get(traceparent)
    if (known) known.count++
    else found.set(traceparent, { traceparent, first: record, count: 1 })
  }
  return found.values()
}
