import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createUnsentPages } from './unsent-pages.ts'

const openResponse = (closed = false) => Object.assign(new EventEmitter(), { closed }) as ServerResponse

test('pages count until their answers are over, and one more than there may be is refused', () => {
  const pages = createUnsentPages(10)
  const [one, two] = [openResponse(), openResponse()]
  pages.add(one, 6)
  pages.add(two, 4)
  const overloaded = { code: 'overloaded', headers: { 'retry-after': '1' } }
  expect(() => pages.add(openResponse(), 1)).toThrow(expect.objectContaining(overloaded))
  two.emit('close')
  expect(() => pages.add(openResponse(), 5)).toThrow()
  pages.add(openResponse(), 4)
})

test('what is not sent any more does not count, and a single page is never too much', () => {
  const pages = createUnsentPages(10)
  pages.add(openResponse(true), 10)
  const large = openResponse()
  pages.add(large, 11)
  expect(() => pages.add(openResponse(), 1)).toThrow()
  large.emit('close')
  pages.add(openResponse(), 10)
})
