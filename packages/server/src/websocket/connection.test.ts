import { expect, test } from 'vitest'
import { createMessageQueue } from './connection.ts'

test('messages are handled in order, and onIdle follows the last one', async () => {
  const handled: string[] = []
  const { promise: idle, resolve } = Promise.withResolvers<void>()
  const queue = createMessageQueue<string>(async (message) => {
    handled.push(`begin ${message}`)
    await Promise.resolve()
    handled.push(`end ${message}`)
  }, resolve)
  for (const message of ['a', 'b']) queue.add(message)
  await idle
  expect(handled).toEqual(['begin a', 'end a', 'begin b', 'end b'])
})

test('a cleared queue handles no waiting message', async () => {
  const handled: number[] = []
  const queue = createMessageQueue<number>(
    async (message) => {
      handled.push(message)
      if (message === 1) queue.clear()
    },
    () => handled.push(-1),
  )
  for (const message of [0, 1, 2, 3]) queue.add(message)
  await expect.poll(() => handled.at(-1)).toBe(-1)
  expect(handled).toEqual([0, 1, -1])
})
