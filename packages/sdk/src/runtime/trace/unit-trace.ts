import {
  contextOf,
  endFailed,
  isSampled,
  isTracing,
  messagingSystem,
  traceparentKey,
  traceparentOf,
  tracer,
} from '@headrace/catalog'
import type { Header, Queue } from '@headrace/queue'
import { type Attributes, type Context, context, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api'

/** The span of a sampled unit, from its encoding until it is visible. */
export interface UnitTrace {
  readonly span: Span
  readonly context: Context
  /** Of its records. */
  readonly header: Header
}

export interface TracedUnit {
  readonly unit: number
  readonly writerId: string
  /** Of the trace that the source began for the unit. */
  readonly traceparent: string | undefined
  /** Without a `traceparent`. */
  readonly parent: Context | undefined
}

/** `undefined`: the unit is not sampled. */
export function beginUnitTrace({ unit, writerId, traceparent, parent }: TracedUnit): UnitTrace | undefined {
  if (!isTracing()) return undefined
  const from = traceparent === undefined ? (parent ?? ROOT_CONTEXT) : contextOf(traceparent)
  // Saves the numbers of a span that a sampler would refuse.
  if (traceparent === undefined && parent && !isSampled(parent)) return undefined
  const attributes = { 'headrace.writer': writerId, 'headrace.unit': unit }
  const span = tracer.startSpan('headrace.publish', { attributes }, from)
  const own = trace.setSpan(from, span)
  const value = span.isRecording() ? traceparentOf(own) : undefined
  if (value === undefined) return undefined
  return { span, context: own, header: { key: traceparentKey, value: Buffer.from(value) } }
}

export function traceEncoding<T>(unit: UnitTrace, encode: () => T): T {
  const span = tracer.startSpan('headrace.encode', {}, unit.context)
  try {
    const encoded = context.with(trace.setSpan(unit.context, span), encode)
    span.end()
    return encoded
  } catch (error) {
    endFailed(span, error)
    endFailed(unit.span, error)
    throw error
  }
}

export interface TracedCommit {
  readonly units: readonly { readonly trace?: UnitTrace | undefined; readonly records: readonly unknown[] }[]
  readonly engine: Queue['engine']
}

/**
 * A transaction has a span in the trace of each sampled unit. While it is committed, the first one is active.
 */
export async function traceCommit({ units, engine }: TracedCommit, commit: () => Promise<void>): Promise<void> {
  const traced = units.filter((unit) => unit.trace)
  if (traced.length === 0) return commit()
  const spans = traced.map(({ trace, records }) => {
    const attributes: Attributes = {
      'messaging.system': messagingSystem(engine),
      'messaging.operation.name': 'commit',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': records.length,
      'headrace.transaction.units': units.length,
    }
    return tracer.startSpan('headrace.commit', { kind: SpanKind.PRODUCER, attributes }, trace!.context)
  })
  const all = [...spans, ...traced.map(({ trace }) => trace!.span)]
  try {
    await context.with(trace.setSpan(traced[0]!.trace!.context, spans[0]!), commit)
  } catch (error) {
    for (const span of all) endFailed(span, error)
    throw error
  }
  for (const span of all) span.end()
}
