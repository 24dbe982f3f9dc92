import type { Queue } from '@headrace/queue'
import {
  type Context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'

/** Of OpenTelemetry. It records nothing until the program registers an SDK. */
export const tracer: Tracer = trace.getTracer('headrace')

/** The header of W3C Trace Context. The records of a sampled unit have it. */
export const traceparentKey = 'traceparent'

/** Whether the program has registered an SDK. Cheaper than a span that is not recorded. */
export function isTracing(): boolean {
  return propagation.fields().includes(traceparentKey)
}

export function traceparentOf(context: Context): string | undefined {
  const carrier: { [traceparentKey]?: string } = {}
  propagation.inject(context, carrier)
  return carrier[traceparentKey]
}

/** An invalid `traceparent` is ignored. */
export function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { [traceparentKey]: traceparent })
}

export function isSampled(context: Context): boolean {
  return ((trace.getSpanContext(context)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0
}

/** The attribute `messaging.system` of OpenTelemetry's semantic conventions. */
export function messagingSystem(engine: Queue['engine']): string {
  return engine === 'kafka' ? 'kafka' : 'headrace'
}

export function endFailed(span: Span, error: unknown): void {
  const { name, message, code } = error as Partial<Error & { code: string }>
  span.setAttribute('error.type', code ?? name ?? '_OTHER')
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  span.end()
}
