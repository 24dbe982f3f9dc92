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

test('all who ask in one turn are answered by one question to the queue', async () => {
  const { queue, asked } = recordingQueue(['a', 'b'])
  const describe = createDescribeTopic(queue)
  const found = await Promise.all(['a', 'b', 'a', 'c'].map(describe))
  expect(found.map((description) => description?.name)).toEqual(['a', 'b', 'a', undefined])
  expect(asked).toEqual([['a', 'b', 'c']])
})

test('who asks later is told what is there then', async () => {
  const { queue, asked } = recordingQueue(['a'])
  const describe = createDescribeTopic(queue)
  const first = describe('a')
  await nextTurn()
  const second = describe('a')
  expect([(await first)!.id, (await second)!.id]).toEqual(['1', '2'])
  expect(asked).toHaveLength(2)
})

test('a queue that cannot be reached is asked again', async () => {
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
