import { expect, test } from 'vitest'
import { createInbox } from './inbox.ts'

test('items are taken together, in order', async () => {
  const inbox = createInbox<number>()
  inbox.put(1, 10)
  inbox.put(2, 20)
  expect(inbox.size).toBe(30)
  expect(await inbox.take()).toEqual([1, 2])
  expect(inbox.size).toBe(0)
})

test('a take waits for the first item', async () => {
  const inbox = createInbox<number>()
  const taking = inbox.take()
  inbox.put(1, 10)
  inbox.put(2, 10)
  expect(await taking).toEqual([1, 2])
  const again = inbox.take()
  inbox.put(3, 10)
  expect(await again).toEqual([3])
})

test('the end follows all items, and only its first reason counts', async () => {
  const inbox = createInbox<number>()
  inbox.put(1, 10)
  inbox.end('first')
  inbox.end('second')
  inbox.put(2, 10)
  expect(await inbox.take()).toEqual([1])
  await expect(inbox.take()).rejects.toBe('first')
  await expect(inbox.take()).rejects.toBe('first')
  await expect(inbox.emptied()).rejects.toBe('first')
})

test('emptied resolves when all items have been taken, and throws at the end', async () => {
  const inbox = createInbox<number>()
  await inbox.emptied()
  inbox.put(1, 10)
  let emptied = false
  const waiting = inbox.emptied().then(() => {
    emptied = true
  })
  await Promise.resolve()
  expect(emptied).toBe(false)
  await inbox.take()
  await waiting
  inbox.put(2, 10)
  const again = inbox.emptied()
  inbox.end('over')
  await expect(again).rejects.toBe('over')
})
