import { setTimeout as wait } from 'node:timers/promises'
import { errorReason } from '@headrace/queue'
import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Environment } from '../environment.ts'
import { samplerOf } from './sampler.ts'

export interface TracesOptions {
  readonly variables: Environment['variables']
  /** Without `OTEL_SERVICE_NAME`. */
  readonly service: string
  readonly version: string
  readonly log: Logger
}

export interface Traces {
  /** Of the active span, for a log entry. */
  fields(): object
  /** Sends the spans that are left, for a short time. */
  end(): Promise<void>
}

const endMs = 3000
const warningMs = 60_000

/**
 * Registers an SDK of OpenTelemetry for this process, which sends spans in the background. The exporter reads its
 * variables by itself.
 */
export function startTraces({ variables, service, version, log }: TracesOptions): Traces {
  const report = createReport(log)
  reportFailures(report)
  const provider = new TracerProvider({
    resource: resourceOf({ 'service.name': service, 'service.version': version }),
    sampler: samplerOf(variables, (text) => log.warn(text)),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return {
    fields: activeFields,
    async end() {
      await Promise.race([provider.shutdown().catch(report), wait(endMs, undefined, { ref: false })])
    },
  }
}

/** The variables win. */
function resourceOf(attributes: Record<string, string>): Resource {
  const detected = detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })
  return defaultResource().merge(resourceFromAttributes(attributes)).merge(detected)
}

/** The names are those of OpenTelemetry's conventions for logs in other formats. */
function activeFields(): object {
  const span = trace.getActiveSpan()
  // What a unit has opened for longer keeps its span as the active one.
  if (!span?.isRecording()) return {}
  const { traceId, spanId, traceFlags } = span.spanContext()
  return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') }
}

/** A receiver that is away for a long time fails every 5 s. */
function createReport(log: Logger): (failure: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (failure) => {
    if (performance.now() - reportedAt < warningMs) return
    reportedAt = performance.now()
    log.warn({ reason: errorReason(failure) }, 'traces not sent')
  }
}

function reportFailures(report: (failure: unknown) => void): void {
  const ignore = (): void => {}
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  setGlobalErrorHandler(report)
}
