import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RecordJson } from '../../server/test/clients/shapes.ts'
import { applied, type Chain, canonicalNames, openChain } from '../../server/test/shop/chain.ts'
import { connector } from './whole-path/connector-process.ts'

let directory: string
let queue: Queue
let chain: Chain

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headrace-views-'))
  queue = await openQueue(`embedded:${directory}`)
  chain = await openChain(queue, { topic: 'acme.shop.1_0_0.shop_Order', partitions: 3 })
  await chain.publish({ partitions: [0, 1, 1, 2] }, { partitions: [0, 2] })
  await chain.publish({ partitions: [1, 1], revertUnits: 1 }, { partitions: [2, 0] }, { partitions: [0, 1] })
  await chain.publish({ partitions: [2, 2, 0], revertUnits: 2 })
})
afterAll(async () => {
  await queue.close()
  await rm(directory, { recursive: true })
})

async function read(...args: string[]): Promise<RecordJson[]> {
  const command = ['read', chain.topic, '--queue', `embedded:${directory}`, '--json', ...args]
  const { code, stdout, stderr } = await connector(...command)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const names = (records: readonly RecordJson[]) => records.map(({ partition, seq }) => `${partition}:${seq}`)

test('the log contains reverted records and their reverts, and the canonical view contains neither', async () => {
  const log = await read('--view', 'log', '--order', 'asc')
  expect(log).toHaveLength(chain.head().reduce((sum, length) => sum + length, 0))
  expect([...applied(log)].sort()).toEqual(canonicalNames(chain, chain.head()).sort())
  expect(names(await read('--order', 'asc'))).toEqual(canonicalNames(chain, chain.head()))
})

test('the canonical view, newest first, is the default, as over REST', async () => {
  expect(names(await read())).toEqual(canonicalNames(chain, chain.head()).toReversed())
})

test('a canonical cursor continues as of its head, and after it like the log', async () => {
  const head = chain.head()
  const truth = canonicalNames(chain, head)
  const first = await read('--order', 'asc', '--limit', '4')
  expect(names(first)).toEqual(truth.slice(0, 4))
  await chain.publish({ partitions: [1, 2], revertUnits: 3 })
  const rest = await read('--order', 'asc', '--cursor', first.at(-1)!.cursor)
  const upToHead = rest.filter(({ partition, seq }) => Number(seq) < head[partition]!)
  expect(names(upToHead).sort()).toEqual(truth.slice(4).sort())
  expect([...applied(rest, applied(first))].sort()).toEqual(canonicalNames(chain, chain.head()).sort())
})
