import { type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { samplerOf } from './sampler.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const spanId = '00f067aa0ba902b7'
/** In the upper half of those that `traceidratio` orders. */
const highest = 'ffffffff000000000000000000000001'

function continued(traceFlags: number): Context {
  return trace.setSpanContext(ROOT_CONTEXT, { traceId: highest, spanId, traceFlags, isRemote: true })
}

function countSampled(sampler: Sampler, spans: number, context = ROOT_CONTEXT): number {
  let sampled = 0
  for (let n = 0; n < spans; n++) {
    const { decision } = sampler.shouldSample(context, highest, 'headrace.fetch', SpanKind.INTERNAL, {}, [])
    if (decision === SamplingDecision.RECORD_AND_SAMPLED) sampled++
  }
  return sampled
}

/** A sampler, and what it warns of. */
function make(variables: Record<string, string>) {
  const warnings: string[] = []
  return { sampler: samplerOf(variables, (text) => warnings.push(text)), warnings }
}

test('by default at most 10 traces begin per second, and 100 of other programs are continued', () => {
  const { sampler, warnings } = make({})
  expect(countSampled(sampler, 1000)).toBe(10)
  expect(countSampled(sampler, 1000, continued(1))).toBe(100)
  expect(countSampled(sampler, 1000)).toBe(0)
  vi.advanceTimersByTime(500)
  expect(countSampled(sampler, 1000)).toBe(5)
  vi.advanceTimersByTime(60_000)
  expect(countSampled(sampler, 1000)).toBe(10)
  expect(warnings).toEqual([])
})

test('what another program does not sample is not sampled', () => {
  expect(countSampled(make({}).sampler, 10, continued(0))).toBe(0)
})

test.each([
  ['always_on', '', 10, 10],
  ['always_off', '', 0, 0],
  ['parentbased_always_on', '', 10, 0],
  ['traceidratio', '0.5', 0, 0],
  ['traceidratio', '1', 10, 10],
  ['parentbased_traceidratio', '1', 10, 0],
])(
  'OTEL_TRACES_SAMPLER=%s with %j samples %i of 10 traces, and %i of 10 that others do not sample',
  (name, ratio, roots, others) => {
    const { sampler, warnings } = make({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio })
    expect(countSampled(sampler, 10)).toBe(roots)
    expect(countSampled(sampler, 10, continued(0))).toBe(others)
    expect(warnings).toEqual([])
  },
)

test('a value that is not allowed is reported, and the default is used', () => {
  const unknown = make({ OTEL_TRACES_SAMPLER: 'xray' })
  expect(countSampled(unknown.sampler, 1000)).toBe(10)
  expect(unknown.warnings).toEqual([
    'OTEL_TRACES_SAMPLER is "xray"; allowed are always_on, parentbased_always_on, always_off, parentbased_always_off, ' +
      'traceidratio, parentbased_traceidratio. The default is used.',
  ])
  const ratio = make({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '5' })
  expect(countSampled(ratio.sampler, 10)).toBe(10)
  expect(ratio.warnings).toEqual(['OTEL_TRACES_SAMPLER_ARG is "5"; a number from 0 to 1 is allowed. 1 is used.'])
})
