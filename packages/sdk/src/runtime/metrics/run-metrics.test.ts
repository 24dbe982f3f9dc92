import { createRegistry } from '@headrace/queue/metrics'
import { expect, test } from 'vitest'
import { readReferencePage } from '../../../../testbed/reference/reference-page.ts'
import { lagOf, RunMeter } from './run-meter.ts'
import { runMetrics } from './run-metrics.ts'

const page = readReferencePage('metrics.md')

function fullMeter() {
  const meter = new RunMeter()
  meter.writerId = 'acme.chain.1_0_0/test'
  meter.lastCommitAt = Date.now()
  meter.progress = { at: 7, head: 9 }
  meter.endpoints = () => [
    {
      ...{
        name: 'https://node.example',
        state: 'serving',
        backOffs: 0,
        limit: 8,
        running: 2,
        answers: 70,
        latencyMs: 12.5,
      },
      failures: { overloaded: 1, unavailable: 2, wrong: 3, refused: 0 },
    },
  ]
  return meter
}

function formatted(meter: RunMeter): Promise<string> {
  return createRegistry({ families: runMetrics(meter), histograms: [] }).metrics()
}

test('docs/reference/metrics.md lists every metric with its type and help, and no other', () => {
  const meter = new RunMeter()
  const registry = createRegistry({ families: runMetrics(meter), histograms: [meter.commitDuration] })
  const own = registry.getMetricsAsArray().filter(({ name }) => name.startsWith('headrace_'))
  expect(page.rows('Metrics', 'metric')).toEqual(own.map(({ name, type, help }) => [name, type, help]))
})

test('docs/reference/metrics.md lists every label with its values', () => {
  const listed = page.rows('Labels', 'label').map(([label, of, values]) => ({ label, of, values }))
  const labels = new Map<string, { of: Set<string>; values: string[] }>()
  for (const { name, samples } of runMetrics(fullMeter()))
    for (const { labels: pairs = {} } of samples())
      for (const [label, value] of Object.entries(pairs)) {
        const entry = labels.get(label) ?? { of: new Set(), values: [] }
        labels.set(label, { of: entry.of.add(name), values: [...entry.values, value] })
      }
  expect(listed.map(({ label, of }) => [label, of!.split(', ')])).toEqual(
    [...labels].map(([label, { of }]) => [label, [...of]]),
  )
  for (const { label, values } of listed.filter(({ label }) => label !== 'writer' && label !== 'endpoint'))
    expect(values!.replaceAll(/ \(.*?\)/g, '').split(', ')).toEqual(labels.get(label!)!.values)
})

test('every metric used in an example exists', () => {
  const defined = new Set(
    [...runMetrics(new RunMeter()), { name: 'headrace_connector_commit_duration_seconds' }].map(({ name }) => name),
  )
  const used = page.rows('What to watch', 'expression').flatMap(([code]) => code!.match(/headrace_\w+/g)!)
  for (const name of used) expect(defined).toContain(name.replace(/_(bucket|count|sum)$/, ''))
})

test('metric names follow the conventions: base units, and _total for counters', () => {
  for (const { name, type } of runMetrics(new RunMeter())) {
    expect(name).toMatch(/^headrace_connector_[a-z_]+$/)
    expect(name.endsWith('_total')).toBe(type === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|kb|count)(_|$)/)
  }
})

test('a metric without a value has no sample', async () => {
  const text = await formatted(new RunMeter())
  for (const name of ['info', 'last_commit', 'source_'])
    expect(text).not.toMatch(new RegExp(`^headrace_connector_${name}`, 'm'))
  expect(text).toContain('headrace_connector_units_total 0\n')
})

test('a source that is ahead of its last reported head has no lag', () => {
  const meter = fullMeter()
  expect(lagOf(meter)).toBe(2)
  meter.progress = { at: 10, head: 9 }
  expect(lagOf(meter)).toBe(0)
})

test('each endpoint has its own samples, and one that is backing off is not up', async () => {
  const meter = fullMeter()
  const [health] = meter.endpoints()
  meter.endpoints = () => [
    health!,
    { ...health!, name: 'https://other.example', state: 'backing_off', latencyMs: undefined },
  ]
  const text = await formatted(meter)
  for (const line of [
    'endpoint_up{endpoint="https://node.example"} 1',
    'endpoint_up{endpoint="https://other.example"} 0',
    'endpoint_failures_total{endpoint="https://node.example",kind="wrong"} 3',
    'endpoint_latency_seconds{endpoint="https://node.example"} 0.0125',
  ])
    expect(text).toContain(`headrace_connector_${line}\n`)
  expect(text).not.toContain('endpoint_latency_seconds{endpoint="https://other.example"}')
})
