import { endFailed, isTracing, traceparentOf, tracer } from '@headrace/catalog'
import { type Attributes, context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'

export interface Traced {
  /** For the unit. Absent: the program sends no traces. */
  readonly traceparent?: string
}

/**
 * Begins the trace of a unit that a source fetches ahead of the units before it: with a span `headrace.fetch`, which is
 * active in `fetch`. The unit must have the `traceparent` of the result.
 */
export async function traceFetch<T extends object>(
  attributes: Attributes,
  fetch: () => Promise<T>,
): Promise<T & Traced> {
  if (!isTracing()) return fetch()
  const span = tracer.startSpan('headrace.fetch', { root: true, attributes })
  const own = trace.setSpan(ROOT_CONTEXT, span)
  const fetched = await endAfter(span, () => context.with(own, fetch))
  const traceparent = traceparentOf(own)
  return { ...fetched, ...(traceparent !== undefined && { traceparent }) }
}

/** Runs a step of a sampled unit, with a span of its own. */
export async function traceStep<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const parent = context.active()
  if (!trace.getSpan(parent)?.isRecording()) return run()
  const span = tracer.startSpan(name, {}, parent)
  return endAfter(span, () => context.with(trace.setSpan(parent, span), run))
}

async function endAfter<T>(span: Span, run: () => T | Promise<T>): Promise<T> {
  try {
    const result = await run()
    span.end()
    return result
  } catch (error) {
    endFailed(span, error)
    throw error
  }
}
