import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Queue } from '@headrace/queue'
import { createTestProject } from '@headrace/sdk/testing'
import { expect, inject, test } from 'vitest'
import { type BlockUnit, chainConnector, genesisSeconds } from '../chain/connector.ts'

/** Time in seconds for which a source yields more than the queue accepts. */
const seconds = { once: 4, scaled: 15, full: 600 }[inject('faultScale')]
/** The hash is also the key. */
const hashBytes = 50_000
const unitBytes = 2 * hashBytes
const commitMs = 200

/** Twice the size of a group, and a unit that exceeds it. */
const boundBytes = 2 * (2 * 1024 * 1024 + unitBytes) + unitBytes

function floodUnit(number: number): BlockUnit {
  const hash = `${number}`.padStart(hashBytes, '0')
  const block = { seconds: BigInt(genesisSeconds + number), Hash: hash, Number: BigInt(number) }
  return { checkpoint: { number, hash: '' }, messages: { Block: [block] } }
}

test('a source that yields faster than the queue accepts is delayed, and memory stays bounded', async () => {
  await using project = await createTestProject(new URL('../chain', import.meta.url), {
    settings: { end: Number.MAX_SAFE_INTEGER },
  })
  const collect = garbageCollector()
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), seconds * 1000)
  let yielded = 0
  let committed = 0
  let mostBytes = 0
  const heaps: number[] = []
  const connector = chainConnector(({ checkpoint }) => {
    mostBytes = Math.max(mostBytes, (yielded - committed) * unitBytes)
    yielded++
    return floodUnit(checkpoint.number)
  })
  const summary = await project.run(connector, {
    queue: slowQueue(project.queue),
    signal: stop.signal,
    observer: {
      onCommit(totals) {
        committed = totals.units
        if (heaps.length < Math.floor(totals.units / 10)) heaps.push(usedBytes(collect))
      },
    },
  })
  clearTimeout(timer)
  expect(summary).toMatchObject({ reason: 'stopped' })
  expect(yielded).toBeGreaterThan(30)
  expect(mostBytes).toBeGreaterThan(boundBytes / 2)
  expect(mostBytes).toBeLessThanOrEqual(boundBytes)
  console.log(
    `flood: ${summary.units} units in ${seconds} s, ${mostBytes} bytes under way at most, heap ${heaps[0]} at first, ${Math.max(...heaps)} at most`,
  )
  // Up to 8,192 checkpoints are kept.
  expect(Math.max(...heaps) - heaps[0]!).toBeLessThan(16 * 1024 * 1024)
})

/** A queue with slow commits, as at its limit. */
function slowQueue(queue: Queue): Queue {
  return Object.create(queue, {
    openWriter: {
      value: async (options: Parameters<Queue['openWriter']>[0]) => {
        const writer = await queue.openWriter(options)
        const begin = () => {
          const transaction = writer.begin()
          const commit = () => delay(commitMs).then(() => transaction.commit())
          return { ...transaction, commit }
        }
        return { begin, close: () => writer.close() }
      },
    },
  })
}

function usedBytes(collect: () => void): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
