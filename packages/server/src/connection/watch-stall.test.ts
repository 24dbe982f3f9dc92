import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchStall } from './watch-stall.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection whose bytes are sent only by the test. */
function openSocket() {
  const state = { bytesWritten: 0, writableLength: 0, _handle: { writeQueueSize: 0 } }
  return { state, socket: state as unknown as Socket }
}

/** Time at which a stall is reported, in ms. */
function watch(socket: Socket, stallMs: number): () => number | undefined {
  const began = Date.now()
  let found: number | undefined
  const stop = watchStall(socket, stallMs, (isStalled) => {
    if (!isStalled) return
    found = Date.now() - began
    stop()
  })
  return () => found
}

test('a client that reads nothing has stalled after stallMs', () => {
  const { state, socket } = openSocket()
  const found = watch(socket, 30_000)
  // The operating system takes bytes until its buffer is full.
  Object.assign(state, { bytesWritten: 1000, writableLength: 1000 })
  vi.advanceTimersByTime(1000)
  state._handle.writeQueueSize = 500
  vi.advanceTimersByTime(29_000)
  expect(found()).toBeUndefined()
  vi.advanceTimersByTime(60_000)
  expect(found()).toBe(33_000)
})

test('a client that reads a part of one write has not stalled', () => {
  const { state, socket } = openSocket()
  const found = watch(socket, 30_000)
  Object.assign(state, { bytesWritten: 1000, writableLength: 1000, _handle: { writeQueueSize: 1000 } })
  for (let n = 0; n < 10; n++) {
    vi.advanceTimersByTime(25_000)
    state._handle.writeQueueSize -= 1
  }
  expect(found()).toBeUndefined()
})

test('a client without unsent bytes has not stalled', () => {
  const { state, socket } = openSocket()
  const found = watch(socket, 30_000)
  vi.advanceTimersByTime(120_000)
  Object.assign(state, { bytesWritten: 1000, writableLength: 1000 })
  vi.advanceTimersByTime(29_000)
  expect(found()).toBeUndefined()
})
