import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openQueue, type Queue } from '@headrace/queue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let directory: string
const running = new Set<ChildProcess>()

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'headrace-queue-'))
})
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(directory, { recursive: true })
})

describe('several processes on one embedded queue', () => {
  it('lose no committed record and expose no partial transaction when one is killed during a commit', async () => {
    for (const rounds of [1, 40, 7, 90, 23]) {
      const child = start('commit-rounds.ts')
      const acknowledged = await killAfter(child, rounds)
      await expectWholeRounds(acknowledged)
    }
  })

  it('may all create the queue concurrently', async () => {
    const children = Array.from({ length: 6 }, () => start('open-and-append.ts'))
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]))
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    const queue = await openQueue(`embedded:${directory}`)
    const pids = (await readTexts(queue, 'opened')).toSorted()
    await queue.close()
    expect(pids).toEqual(children.map(({ pid }) => `${pid}`).toSorted())
  })

  it('may all create topics in a new queue concurrently', async () => {
    const children = Array.from({ length: 6 }, () => start('create-topics.ts'))
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]))
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    const queue = await openQueue(`embedded:${directory}`)
    const names = (await queue.describe()).map(({ name }) => name)
    await queue.close()
    const created = children.flatMap(({ pid }) => Array.from({ length: 20 }, (_, number) => `${pid}.${number}`))
    expect(names).toEqual(created.toSorted())
  })

  it('see the commits of another process while they wait', async () => {
    const queue = await openQueue(`embedded:${directory}`)
    await queue.createTopics([{ name: 'rounds', cleanup: 'compact' }])
    const controller = new AbortController()
    const seen: string[] = []
    start('commit-rounds.ts')
    for await (const batch of queue.follow([{ topic: 'rounds', partition: 0, offset: 0n }], controller)) {
      for (const { value } of batch.records()) seen.push(Buffer.from(value!).toString())
      if (seen.length >= 50) controller.abort()
    }
    await queue.close()
    expect(seen).toEqual(seen.map((_, round) => `${round}`))
  })
})

function start(program: string): ChildProcess {
  const path = fileURLToPath(new URL(`programs/${program}`, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@headrace/source', path, `embedded:${directory}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  child.on('close', () => running.delete(child))
  return child
}

/** Kills a child after a number of acknowledged rounds. Returns the last one that it acknowledged. */
async function killAfter(child: ChildProcess, rounds: number): Promise<number> {
  let last = -1
  let seen = 0
  for await (const line of createInterface({ input: child.stdout! })) {
    last = Number(line)
    seen++
    if (seen === rounds) child.kill('SIGKILL')
  }
  expect(seen).toBeGreaterThanOrEqual(rounds)
  return last
}

async function expectWholeRounds(acknowledged: number): Promise<void> {
  const queue = await openQueue(`embedded:${directory}`)
  const rounds = (await readTexts(queue, 'rounds')).map(Number)
  const data = (await readTexts(queue, 'data')).map((text) => text.split(' ')[0])
  await queue.close()
  expect(rounds.length).toBeGreaterThan(acknowledged)
  expect(rounds).toEqual(rounds.map((_, round) => round))
  expect(data).toEqual(
    rounds.flatMap((round) => Array.from({ length: round % 100 }, (_, index) => `${round}/${index}`)),
  )
}

async function readTexts(queue: Queue, topic: string): Promise<string[]> {
  const texts: string[] = []
  for (let offset = 0n, end = 1n; offset < end; ) {
    const result = await queue.read({ topic, partition: 0, offset }, { maxBytes: 1 << 20 })
    for (const batch of result.batches) {
      for (const { value } of batch.records()) texts.push(Buffer.from(value!).toString())
    }
    offset = result.next
    end = result.end
  }
  return texts
}
