import { endFailed, isTracing, tracer } from '@headrace/catalog'
import { type Context, context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import type { Step } from '../reading/step.ts'

/** Spans of the time for which a run waits for each unit of a session. */
export interface FetchTraces {
  /** Of the newest unit. `undefined`: it is not sampled, or its source has begun its trace. */
  readonly parent: Context | undefined
  next(read: () => Promise<Step>): Promise<Step>
}

/**
 * While the source is read, the span of the unit is active. The first read is an exception: what it opens for the whole
 * session, such as connections and timers, would keep that span as the active one.
 */
export function createFetchTraces(): FetchTraces {
  let begins: 'unknown' | 'run' | 'source' = 'unknown'
  let parent: Context | undefined

  async function readTraced(read: () => Promise<Step>): Promise<Step> {
    const startTime = Date.now()
    let span = begins === 'run' ? begin(startTime) : undefined
    const step = await (span?.isRecording() ? context.with(trace.setSpan(ROOT_CONTEXT, span), read) : read())
    if (step.kind === 'failed' && span) endFailed(span, step.error)
    if (step.kind !== 'unit') return step
    const isOwn = step.unit?.traceparent === undefined
    if (begins === 'unknown') {
      begins = isOwn ? 'run' : 'source'
      span = isOwn ? begin(startTime) : undefined
    }
    if (!span || !isOwn) return step
    parent = trace.setSpan(ROOT_CONTEXT, span)
    span.end()
    return step
  }

  return {
    get parent() {
      return parent
    },
    next(read) {
      parent = undefined
      return isTracing() ? readTraced(read) : read()
    },
  }
}

function begin(startTime: number): Span {
  return tracer.startSpan('headrace.fetch', { root: true, startTime })
}
