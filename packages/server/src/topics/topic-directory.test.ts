import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queue, TopicDescription } from '@headrace/queue'
import { expect, test } from 'vitest'
import { createDescribeTopic } from './topic-directory.ts'

function recordingQueue(topics: readonly string[]) {
  const asked: (readonly string[])[] = []
  let version = 0
  const describe = async (names: readonly string[] = []) => {
    asked.push(names)
    version++
    const known = names.filter((name) => topics.includes(name))
    return known.map((name) => ({ name, id: `${version}` }) as TopicDescription)
  }
  return { asked, queue: { describe } as Queue }
}

test('calls in one turn of the event loop share one request to the queue', async () => {
  const { queue, asked } = recordingQueue(['a', 'b'])
  const describe = createDescribeTopic(queue)
  const found = await Promise.all(['a', 'b', 'a', 'c'].map(describe))
  expect(found.map((description) => description?.name)).toEqual(['a', 'b', 'a', undefined])
  expect(asked).toEqual([['a', 'b', 'c']])
})

test('a later call gets a newer description', async () => {
  const { queue, asked } = recordingQueue(['a'])
  const describe = createDescribeTopic(queue)
  const first = describe('a')
  await nextTurn()
  const second = describe('a')
  expect([(await first)!.id, (await second)!.id]).toEqual(['1', '2'])
  expect(asked).toHaveLength(2)
})

test('a failed request to the queue is not reused', async () => {
  let fails = true
  const describeTopics = async (names: readonly string[] = []) => {
    if (fails) throw new Error('out of reach')
    return names.map((name) => ({ name }) as TopicDescription)
  }
  const describe = createDescribeTopic({ describe: describeTopics } as Queue)
  await expect(describe('a')).rejects.toThrow('out of reach')
  fails = false
  expect((await describe('a'))!.name).toBe('a')
})
