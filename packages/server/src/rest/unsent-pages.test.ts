import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createUnsentPages } from './unsent-pages.ts'

const overloaded = expect.objectContaining({ code: 'overloaded', headers: { 'retry-after': '1' } })

/** Sends pages with a limit of 100 unsent bytes. Returns a function that ends each response. */
function openPages() {
  const add = createUnsentPages(100)
  return (page: Uint8Array, keyId = 'one', closed = false) => {
    const response = Object.assign(new EventEmitter(), { closed }) as ServerResponse
    add(page, response, keyId)
    return () => void response.emit('close')
  }
}

const bytes = (count: number) => new Uint8Array(count)

test('pages count until their responses are closed, and pages above the limit are refused', () => {
  const send = openPages()
  const ends = ['a', 'b', 'c', 'd', 'e'].map((key) => send(bytes(20), key))
  expect(() => send(bytes(1), 'f')).toThrow(overloaded)
  ends[2]!()
  expect(() => send(bytes(21), 'f')).toThrow(overloaded)
  send(bytes(20), 'f')
})

test('a key may use a quarter of the limit', () => {
  const send = openPages()
  const end = send(bytes(15))
  send(bytes(10))
  expect(() => send(bytes(1))).toThrow(overloaded)
  send(bytes(20), 'two')
  end()
  send(bytes(15))
})

test('a page for many clients counts once, until the last response is closed', () => {
  const send = openPages()
  const page = bytes(25)
  const ends = Array.from({ length: 50 }, (_, n) => send(page, `${n % 2}`))
  for (const end of ends.slice(1)) end()
  expect(() => send(bytes(1), '0')).toThrow(overloaded)
  ends[0]!()
  send(bytes(25), '0')
})

test('a page of a closed response does not count, and a single page is never refused', () => {
  const send = openPages()
  send(bytes(25), 'one', true)
  const end = send(bytes(101))
  expect(() => send(bytes(1))).toThrow(overloaded)
  expect(() => send(bytes(1), 'two')).toThrow(overloaded)
  end()
  send(bytes(25))
})
