import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, openChain } from '../../../server/test/shop/chain.ts'
import { type InProcessOptions, runInProcess } from '../../test/command-in-process.ts'

const topics = ['acme.shop.1_0_0.shop_Order', 'acme.store.1_0_0.store_Order'] as const
let directory: string
let queue: Queue
let shop: Chain
let store: Chain

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'headrace-tail-'))
  queue = await openQueue(`embedded:${directory}`)
  shop = await openChain(queue, { topic: topics[0], partitions: 2 })
  store = await openChain(queue, { topic: topics[1], partitions: 1 })
  await shop.publish({ partitions: [0, 1] })
  await store.publish({ partitions: [0] })
})
afterAll(async () => {
  await queue.close()
  await rm(directory, { recursive: true })
})

/** The first lines of `connector tail`. `onLine` is called with the number of lines so far. */
async function tail(args: readonly string[], wanted: number, onLine?: (count: number) => unknown): Promise<string[]> {
  const stop = new AbortController()
  const lines: string[] = []
  const options: InProcessOptions = {
    signal: stop.signal,
    onOutput(text) {
      for (const line of text.trimEnd().split('\n')) {
        lines.push(line)
        if (lines.length === wanted) stop.abort()
        else onLine?.(lines.length)
      }
    },
  }
  const { code, stderr } = await runInProcess(['tail', ...args, '--queue', `embedded:${directory}`], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return lines
}

test('several topics are followed in the order of arrival, and each line names its topic', async () => {
  const lines = await tail([...topics, '--from', 'earliest'], 5, (count) => {
    if (count === 3) return store.publish({ partitions: [0] })
    if (count === 4) return shop.publish({ partitions: [1] })
  })
  const named = lines.map((line) => line.split('  ')[0])
  expect(named.slice(0, 3).sort()).toEqual([topics[0], topics[0], topics[1]])
  expect(named.slice(3)).toEqual([topics[1], topics[0]])
})

test('with --json each record has its topic and a cursor of it', async () => {
  const records = (await tail([...topics, '--from', 'last:1', '--json'], 2)).map((line) => JSON.parse(line))
  expect(records.map(({ topic }) => topic).sort()).toEqual([...topics])
  for (const { topic, cursor } of records) {
    const { stdout } = await runInProcess([
      'read',
      topic,
      '--queue',
      `embedded:${directory}`,
      '--from',
      cursor,
      '--json',
    ])
    expect(stdout).toBe('')
  }
})

test('a line does not name the topic if only one is followed', async () => {
  const [line] = await tail([topics[1], topics[1], '--from', 'last:1'], 1)
  expect(line).toMatch(/^\d{4}-/)
})

test('a topic that does not exist ends the command before it prints anything', async () => {
  const args = ['tail', topics[0], 'acme.shop.1_0_0.shop_Ordr', '--queue', `embedded:${directory}`]
  expect(await runInProcess(args)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining('There is no topic "acme.shop.1_0_0.shop_Ordr"'),
  })
})
