import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Queue, TransactionAbortedError } from '@headrace/queue'
import type { Connector, Schema } from '@headrace/sdk'
import { createFaultyQueue, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { chainConnector, unitOf } from './chain/connector.ts'
import { openChain } from './chain/open.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'

let project: TestProject
beforeEach(async () => {
  project = await openChain()
})
afterEach(() => project.close())

const retry = { firstMs: 1, maxMs: 10, budgetMs: 10_000 }

/** A run that serves its metrics until the test ends it. */
function startServed(connector: Connector<Schema, unknown>, queue: Queue = project.queue) {
  const stop = new AbortController()
  const { promise: url, resolve } = Promise.withResolvers<string>()
  const log = pino({}, { write: (line) => JSON.parse(line).url && resolve(JSON.parse(line).url) })
  const run = project.run(connector, { queue, signal: stop.signal, log, retry, metrics: { port: 0 } })
  return { run, url, stop: () => stop.abort() }
}

/** Waits until the run is stopped. */
const atTheHead = ({ signal }: { signal: AbortSignal }): Promise<unknown> => once(signal, 'abort')

/** Sums over the labels. */
async function readMetrics(url: string): Promise<Record<string, number>> {
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const sums: Record<string, number> = {}
  for (const line of (await response.text()).split('\n')) {
    const [, name, labels = '', value] = /^([a-z_]+)(\{.*\})? (\S+)$/.exec(line) ?? []
    if (name) sums[name.replace('headrace_connector_', '') + labels] = Number(value)
  }
  return sums
}

async function readHealth(url: string): Promise<{ status: number; health: Record<string, unknown> }> {
  const response = await fetch(`${url}/health`)
  return { status: response.status, health: (await response.json()) as Record<string, unknown> }
}

test('metrics count published units, refusals, retries and bad messages', async () => {
  let failed = false
  const connector = chainConnector(async (unit, source) => {
    const { number } = unit.checkpoint
    source.progress(number, 25)
    if (number === 3 && !failed) {
      failed = true
      throw new Error('connection reset')
    }
    if (number === 20) await atTheHead(source)
    return number === 5 ? { ...unit, messages: { Block: [{ seconds: 'no' } as never] } } : unit
  })
  const refused = new TransactionAbortedError('refused')
  const queue = createFaultyQueue(project.queue, [{ step: 'commit', time: 1, error: refused }])
  const { run, url, stop } = startServed(connector, queue)
  const address = await url
  await expect.poll(async () => (await readMetrics(address)).units_total).toBe(20)
  const metrics = await readMetrics(address)
  expect(metrics).toMatchObject({
    'info{writer="acme.chain.1_0_0/test"}': 1,
    'retries_total{step="read"}': 1,
    'retries_total{step="commit"}': 1,
    dead_letters_total: 1,
    source_position: 20,
    source_head: 25,
    source_lag: 5,
    reverts_total: 0,
  })
  expect(metrics.transactions_total).toBeGreaterThanOrEqual(2)
  expect(metrics.transactions_total).toBeLessThanOrEqual(20)
  expect(metrics.commit_duration_seconds_count).toBe(metrics.transactions_total)
  for (const stage of ['fetch', 'encode', 'commit'])
    expect(metrics[`stage_seconds_total{stage="${stage}"}`]).toBeGreaterThan(0)
  expect(await readHealth(address)).toMatchObject({ status: 200, health: { state: 'running', lag: 5 } })
  stop()
  const summary = await run
  expect(summary).toMatchObject({ units: 20, records: metrics.records_total, bytes: metrics.record_bytes_total })
  await expect(fetch(address)).rejects.toThrow()
})

test('metrics count reverts', async () => {
  const units = parseScript('a0 a1 a2 a0<b1 b2 b3')
  const connector = scriptConnector(units, async (unit, source) => {
    if (unit === units.at(-1)) await atTheHead(source)
  })
  const { run, url, stop } = startServed(connector)
  const address = await url
  await expect.poll(async () => (await readMetrics(address)).units_total).toBe(5)
  expect(await readMetrics(address)).toMatchObject({ reverts_total: 1, reverted_units_total: 2 })
  const reverts = (await project.records('Block')).concat(await project.records('Transaction'))
  const { reverted_records_total } = await readMetrics(address)
  expect(reverted_records_total).toBe(reverts.filter(({ op }) => op === 'revert').length)
  stop()
  await run
})

test('health is 503 until the run owns its topics, while the source fails, and during a stop', async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const queue: Queue = {
    ...createFaultyQueue(project.queue, []),
    openWriter: async (options) => {
      await opened
      return project.queue.openWriter(options)
    },
  }
  let failing = true
  const connector = chainConnector(async (unit, source) => {
    if (failing) throw new Error('connection refused')
    if (unit.checkpoint.number === 2) {
      await atTheHead(source)
      await ended
    }
    return unit
  })
  const { run, url, stop } = startServed(connector, queue)
  const address = await url
  const state = async () => {
    const { status, health } = await readHealth(address)
    return `${status} ${health.state}`
  }
  expect(await readHealth(address)).toMatchObject({
    status: 503,
    health: { state: 'starting', lastCommitAgeMs: null, lag: null, started: expect.stringMatching(/^\d{4}-.*Z$/) },
  })
  open()
  await expect.poll(state).toBe('503 retrying')
  failing = false
  await expect.poll(state).toBe('200 running')
  await expect.poll(async () => (await readHealth(address)).health.lastCommitAgeMs).toBeTypeOf('number')
  stop()
  await expect.poll(state).toBe('503 stopping')
  end()
  await run
})

test('other paths and methods are refused', async () => {
  const connector = chainConnector(async (unit, source) => {
    await atTheHead(source)
    return unit
  })
  const { run, url, stop } = startServed(connector)
  const address = await url
  expect((await fetch(address)).status).toBe(404)
  expect((await fetch(`${address}/constructor`)).status).toBe(404)
  expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${address}/metrics?x=1`, { method: 'HEAD' })).status).toBe(200)
  stop()
  await run
})

test('a port in use ends the run before it owns its topics', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const run = project.run(chainConnector(), { metrics: { port } })
  await expect(run).rejects.toMatchObject({ code: 'listen_failed', message: expect.stringContaining(`port ${port}`) })
  taken.close()
  expect(await project.queue.describe()).toEqual([])
})

test('nothing is served without the option', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  await project.run(chainConnector(), { log, stopAfter: unitOf(1).checkpoint.number })
  expect(lines.join('')).not.toContain('metrics served')
})
