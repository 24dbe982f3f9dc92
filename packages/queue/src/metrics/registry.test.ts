import { Histogram } from 'prom-client'
import { expect, test } from 'vitest'
import type { MetricFamily, Sample } from './metric-family.ts'
import { createRegistry, formatMetrics } from './registry.ts'

function family(name: string, labels: readonly string[], samples: () => readonly Sample[]): MetricFamily {
  return { name, type: 'counter', help: `${name}.`, labels, samples }
}

function collect(...families: readonly MetricFamily[]) {
  return createRegistry({ families, histograms: [] }).getMetricsAsJSON()
}

test('values are read at each collection, and a value that no longer exists is omitted', async () => {
  let samples: readonly Sample[] = [{ labels: { of: 'x"\\\n' }, value: 1 }]
  const registry = createRegistry({ families: [family('a', ['of'], () => samples)], histograms: [] })
  expect(await registry.metrics()).toContain('a{of="x\\"\\\\\\n"} 1\n')
  samples = [{ labels: { of: 'y' }, value: 2 }]
  const text = await registry.metrics()
  expect(text).toContain('a{of="y"} 2\n')
  expect(text).not.toContain('of="x')
})

test('a metric without a value has no sample', async () => {
  const text = await formatMetrics([
    await collect(
      family('a', [], () => []),
      family('b', [], () => [{ value: 2 }]),
    ),
  ])
  expect(text).not.toMatch(/^a /m)
  expect(text).toContain('\nb 2\n')
})

test('concurrent collections do not count a value twice', async () => {
  const registry = createRegistry({ families: [family('a', [], () => [{ value: 3 }])], histograms: [] })
  for (const text of await Promise.all([registry.metrics(), registry.metrics()])) expect(text).toContain('a 3\n')
})

test('metrics of several processes are merged into one family per name', async () => {
  const processes = ['1', '2'].map((of) => {
    const histogram = new Histogram({ name: 'h', help: 'h.', buckets: [1], registers: [] })
    histogram.observe(Number(of))
    return createRegistry({
      families: [family('a', [], () => [{ value: 3 }])],
      histograms: [histogram],
      labels: { of },
    })
  })
  const text = await formatMetrics(await Promise.all(processes.map((registry) => registry.getMetricsAsJSON())))
  expect(text.match(/^# TYPE a /gm)).toHaveLength(1)
  for (const line of ['a{of="1"} 3', 'a{of="2"} 3', 'h_bucket{le="1",of="1"} 1', 'h_bucket{le="1",of="2"} 0'])
    expect(text).toContain(`${line}\n`)
  for (const of of ['1', '2']) expect(text).toMatch(new RegExp(`^process_start_time_seconds{of="${of}"} \\d+`, 'm'))
})

test('the metrics of the process and of Node are included', async () => {
  const names = (await collect()).map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining([
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
    ]),
  )
})
