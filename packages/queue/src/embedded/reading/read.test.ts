import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queue } from '../../queue.ts'
import { createEmbeddedQueue } from '../embedded-queue.ts'

let directory: string
let queue: Queue

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
  queue = await createEmbeddedQueue({ directory, create: true })
})
afterAll(async () => {
  await queue.close()
  rmSync(directory, { recursive: true })
})

describe('offsetForTime', () => {
  it('finds the first record at or after a time, for times in any order and after a deletion', async () => {
    const time = fc.integer({ min: 0, max: 20 })
    const commits = fc.array(fc.array(time, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    let topics = 0
    await fc.assert(
      fc.asyncProperty(commits, time, fc.nat({ max: 30 }), async (batches, asked, deleted) => {
        const topic = `times-${topics++}`
        await queue.createTopics([{ name: topic }])
        for (const times of batches) {
          await queue.append(times.map((one) => ({ topic, key: null, value: null, time: one })))
        }
        const times = batches.flat()
        const earliest = Math.min(deleted, times.length)
        await queue.deleteBefore(topic, 0, BigInt(earliest))
        const first = times.findIndex((one, offset) => offset >= earliest && one >= asked)
        expect(await queue.offsetForTime(topic, 0, asked)).toBe(first === -1 ? undefined : BigInt(first))
      }),
      { numRuns: 60 },
    )
  })
})
