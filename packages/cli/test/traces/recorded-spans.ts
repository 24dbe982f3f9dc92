import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'

export interface RecordedSpans extends Disposable {
  /** Those that have ended, in this order. */
  all(): readonly ReadableSpan[]
  named(name: string): readonly ReadableSpan[]
}

/** Registers an SDK that samples everything in this process. Only one can be registered in a process. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
  const all = () => exporter.getFinishedSpans()
  return {
    all,
    named: (name) => all().filter((span) => span.name === name),
    [Symbol.dispose]() {
      trace.disable()
      propagation.disable()
      context.disable()
    },
  }
}
