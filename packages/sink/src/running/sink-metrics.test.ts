import { expect, test } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { createSinkMeter } from './sink-meter.ts'
import { sinkHealth, sinkMetrics, totalLag } from './sink-metrics.ts'

test('docs/reference/metrics.md lists every metric of a sink with its type and help, and no other', () => {
  const rows = readReferencePage('metrics.md').rows('Sink metrics', 'metric')
  expect(rows).toEqual(sinkMetrics(createSinkMeter()).map(({ name, type, help }) => [name, type, help]))
})

test('a lag is unknown until it is measured, and then the sum of the topics', () => {
  const meter = createSinkMeter()
  const { signal } = new AbortController()
  expect(sinkHealth(meter, signal)).toMatchObject({ state: 'starting', lag: null, lastApplyAgeMs: null })
  meter.lag.set('a', 2).set('b', 3)
  meter.state = 'running'
  expect(totalLag(meter)).toBe(5)
  expect(sinkHealth(meter, signal)).toMatchObject({ state: 'running', lag: 5 })
  expect(sinkHealth(meter, AbortSignal.abort())).toMatchObject({ state: 'stopping' })
})

test('the metrics name the sink and its destination', () => {
  const meter = createSinkMeter()
  const info = () => sinkMetrics(meter)[0]!.samples()
  expect(info()).toEqual([])
  meter.sink = { name: 'orders', kind: 'parquet', records: 'final' }
  expect(info()).toEqual([{ labels: { name: 'orders', kind: 'parquet', records: 'final' }, value: 1 }])
})
