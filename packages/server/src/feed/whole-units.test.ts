import type { Queue } from '@headrace/queue'
import { expect, test } from 'vitest'
import type { ServedTopic } from '../topics/served-topic.ts'
import { createWholeUnits } from './whole-units.ts'

test('concurrent readers share one request to a slow queue', async () => {
  const answer = Promise.withResolvers<undefined>()
  let asked = 0
  const latest = () => {
    asked++
    return answer.promise
  }
  const units = createWholeUnits({ latest } as unknown as Queue)
  const topic = { name: 'a.b', writerId: 'a.b.1_0_0/main' } as ServedTopic
  const first = units.through(topic, [])
  await new Promise((passed) => setTimeout(passed, 1100))
  const second = units.through(topic, [])
  answer.resolve(undefined)
  expect(await Promise.all([first, second])).toEqual([undefined, undefined])
  expect(asked).toBe(1)
})
