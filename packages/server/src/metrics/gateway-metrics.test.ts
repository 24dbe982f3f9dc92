import type { Socket } from 'node:net'
import { createRegistry } from '@headrace/queue/metrics'
import { expect, test } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { createUsageMeter } from '../usage/usage-meter.ts'
import { createGatewayMeter } from './gateway-meter.ts'
import { gatewayMetrics } from './gateway-metrics.ts'

const page = readReferencePage('metrics.md')

const others = {
  isDraining: () => false,
  limits: { connections: 9 },
  queueState: () => ({ up: true, feedLag: new Map([['acme.shop.1_0_0.shop_Order', 7n]]) }),
}

/** The metrics of a gateway with a value for each, and without those of the process. */
async function fullMetrics() {
  const meter = createGatewayMeter()
  meter.requests.observe({ route: '/api/v1/topics', status: 200 }, 0.005)
  const families = gatewayMetrics({ meter, usage: createUsageMeter(), ...others })
  const registry = createRegistry({ families, histograms: [meter.requests], labels: { gateway: '2' } })
  return (await registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('headrace_'))
}

test('docs/reference/metrics.md lists every metric of a gateway with its type and help, and no other', async () => {
  const families = (await fullMetrics()).map(({ name, type, help }) => [name, type, help])
  expect(page.rows('Gateway metrics', 'metric')).toEqual(families)
})

test('docs/reference/metrics.md lists every label of a gateway, and the fixed values of labels', async () => {
  const used = new Map<string, Set<string>>()
  for (const { name, values } of await fullMetrics())
    for (const { labels } of values)
      for (const [label, value] of Object.entries(labels).filter(([label]) => label !== 'le')) {
        const of = label === 'gateway' ? 'all' : name
        used.set(`${label} of ${of}`, (used.get(`${label} of ${of}`) ?? new Set()).add(`${value}`))
      }
  const listed = page
    .rows('Gateway labels', 'label')
    .flatMap(([label, of, values]) =>
      of!.split(', ').map((name) => [`${label} of ${name}`, values!.replaceAll(/ \(.*?\)/g, '')] as const),
    )
  expect(listed.map(([label]) => label).sort()).toEqual([...used.keys()].sort())
  for (const [label, values] of listed.filter(([label]) => /^(protocol|reason|cache|result)/.test(label)))
    expect([label, values.split(', ')]).toEqual([label, [...used.get(label)!]])
})

test('every metric used in an example exists', async () => {
  const known = new Set((await fullMetrics()).map(({ name }) => name))
  known.add('process_resident_memory_bytes')
  const expressions = page.rows('What to watch at a gateway', 'expression').map(([code]) => code!)
  const names = expressions.flatMap((code) => code.match(/(headrace|process)_\w+/g)!)
  expect(names.length).toBeGreaterThanOrEqual(expressions.length)
  for (const name of names) expect(known).toContain(name.replace(/_(bucket|count|sum)$/, ''))
})

test('metric names follow the conventions: base units, and _total for counters', async () => {
  for (const { name, type } of await fullMetrics()) {
    expect(name).toMatch(/^headrace_gateway_[a-z_]+$/)
    expect(name.endsWith('_total')).toBe(`${type}` === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|kb|count)(_|$)/)
  }
})

test('every sample has the label gateway', async () => {
  for (const { values } of await fullMetrics())
    for (const { labels } of values) expect(labels).toMatchObject({ gateway: '2' })
})

test('unsent bytes and connections are those of open streams', () => {
  const usage = createUsageMeter()
  const socket = { bytesWritten: 0, writableLength: 300 } as Socket
  usage.openStream('one', { protocol: 'websocket', socket })
  usage.openStream('two', { protocol: 'sse', socket }).close()
  const metrics = gatewayMetrics({ meter: createGatewayMeter(), usage, ...others })
  const samplesOf = (name: string) => metrics.find((family) => family.name === `headrace_gateway_${name}`)!.samples()
  expect(samplesOf('connections').map(({ labels, value }) => [labels!.protocol, value])).toEqual([
    ['websocket', 1],
    ['sse', 0],
  ])
  expect(samplesOf('unsent_bytes').map(({ value }) => value)).toEqual([300])
})
