import { randomBytes } from 'node:crypto'
import type { Queue } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { startRetention } from '../src/runtime/retention/start-retention.ts'
import { chainConnector, unitOf } from './chain/connector.ts'
import { type ChainCopy, copyChain } from './chain/copy.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

let copy: ChainCopy
beforeAll(async () => {
  copy = await copyChain()
})
afterAll(() => copy.remove())

let project: TestProject
let chain: string
afterEach(() => project.close())

async function open(queue: string | undefined, retention: string): Promise<void> {
  await copy.rewrite((manifest) =>
    manifest.replaceAll('    key: Hash\n', `    key: Hash\n    retention: ${retention}\n`),
  )
  // The broker is shared, so each test has its own topics.
  chain = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
  project = await createTestProject(copy.dir, { settings: { chain }, ...(queue && { queue }) })
}

/** Publishes blocks 0 to 20. Block 20 may make another one final. */
async function publish(final?: number): Promise<void> {
  const connector = chainConnector((unit) =>
    final !== undefined && unit.checkpoint.number === 20 ? { ...unit, final: unitOf(final).checkpoint } : unit,
  )
  await project.run(connector)
}

const keptBlocks = async () =>
  (await project.records('Block')).map(({ value }) => Number((value as { Number: string }).Number))
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe.each(engines)('on %s', (_, queue) => {
  test('records that are too old are removed by the next run, except revertible ones', async () => {
    await open(queue, '1h')
    await publish(10)
    expect(await keptBlocks()).toEqual(range(0, 20))
    expect(await project.run(chainConnector())).toMatchObject({ units: 0 })
    expect(await keptBlocks()).toEqual(range(11, 20))
    const units = (await project.records('Transaction')).map(({ unit }) => unit! - 1)
    expect(Math.min(...units)).toBe(11)
  })

  test('all remaining records can be reverted', async () => {
    await open(queue, '1h')
    await publish(10)
    const replacement = { ...unitOf(21), revertTo: unitOf(10).checkpoint }
    let done = false
    const connector = chainConnector()
    await project.run({
      ...connector,
      async *read() {
        if (!done) yield replacement
        done = true
      },
    })
    const records = await project.records('Block')
    const reverted = records.filter(({ op }) => op === 'revert').map(({ reverts }) => reverts)
    expect(reverted).toEqual(range(11, 20).reverse())
  })

  test('nothing is removed while all records are revertible', async () => {
    await open(queue, '1h')
    await publish()
    await project.run(chainConnector())
    expect(await keptBlocks()).toEqual(range(0, 20))
  })

  test('recent records, and those without a limit, are not removed', async () => {
    for (const retention of ['9000d', 'forever']) {
      await open(queue, retention)
      await publish(20)
      await project.run(chainConnector())
      expect(await keptBlocks()).toEqual(range(0, 20))
      if (retention !== 'forever') await project.close()
    }
  })

  test('records beyond the size limit are removed, oldest first', async () => {
    await open(queue, '1B')
    const connector = chainConnector((unit) => ({ ...unit, final: unit.checkpoint }))
    for (let run = 0; run < 4; run++) await project.run(connector, { stopAfter: 5 })
    const before = await keptBlocks()
    await project.run(connector)
    const kept = await keptBlocks()
    expect(kept[0]).toBeGreaterThan(before[0]!)
    expect(kept).toEqual(range(kept[0]!, 20))
  })
})

test('passes are repeated, each up to the records that are revertible then', async () => {
  await open(undefined, '1h')
  await publish()
  const topic = `acme.chain.1_0_0.${chain}_Block`
  const message = { topic, retention: { maxAgeMs: 3_600_000 } } as never
  const log = pino({ level: 'silent' })
  const { signal } = new AbortController()
  const retention = startRetention({
    queue: project.queue,
    topics: [message],
    revertible: null,
    signal,
    log,
    intervalMs: 1,
  })
  for (const seq of [4, 9]) {
    retention.committed({ [topic]: [seq] })
    await expect.poll(async () => (await keptBlocks())[0]).toBe(seq)
  }
  await retention.end()
  retention.committed({ [topic]: [15] })
  await project.run(chainConnector())
  expect((await keptBlocks())[0]).toBe(9)
})

test('a failed pass is logged, and the next one removes the records', async () => {
  await open(undefined, '1h')
  await publish(10)
  const { signal } = new AbortController()
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) })
  let failures = 2
  const queue: Queue = Object.create(project.queue, {
    deleteBefore: {
      value: async (...args: Parameters<Queue['deleteBefore']>) => {
        if (failures-- > 0) throw new Error('not now')
        await project.queue.deleteBefore(...args)
      },
    },
  })
  const topic = `acme.chain.1_0_0.${chain}_Block`
  const message = { topic, retention: { maxAgeMs: 3_600_000 } } as never
  const retention = startRetention({
    queue,
    topics: [message],
    revertible: { [topic]: [5] },
    signal,
    log,
    intervalMs: 1,
  })
  await expect.poll(async () => (await keptBlocks())[0]).toBe(5)
  await retention.end()
  expect(warnings).toEqual(['retention not applied', 'retention not applied'])
})
