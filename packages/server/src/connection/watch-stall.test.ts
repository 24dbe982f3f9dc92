import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchStall } from './watch-stall.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection of which no byte goes anywhere by itself. */
function openSocket() {
  const state = { bytesWritten: 0, writableLength: 0, _handle: { writeQueueSize: 0 } }
  return { state, socket: state as unknown as Socket }
}

/** When a connection is found to be stalled, in ms of the timers. */
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

test('a client that takes nothing is found after the time that it has', () => {
  const { state, socket } = openSocket()
  const found = watch(socket, 30_000)
  // The operating system takes what it has room for, and then nothing more.
  Object.assign(state, { bytesWritten: 1000, writableLength: 1000 })
  vi.advanceTimersByTime(1000)
  state._handle.writeQueueSize = 500
  vi.advanceTimersByTime(29_000)
  expect(found()).toBeUndefined()
  vi.advanceTimersByTime(60_000)
  expect(found()).toBe(33_000)
})

test('a client that takes a little of one write each time is not', () => {
  const { state, socket } = openSocket()
  const found = watch(socket, 30_000)
  Object.assign(state, { bytesWritten: 1000, writableLength: 1000, _handle: { writeQueueSize: 1000 } })
  for (let n = 0; n < 10; n++) {
    vi.advanceTimersByTime(25_000)
    state._handle.writeQueueSize -= 1
  }
  expect(found()).toBeUndefined()
})

test('a client for which there is nothing is not', () => {
  const { state, socket } = openSocket()
  const found = watch(socket, 30_000)
  vi.advanceTimersByTime(120_000)
  Object.assign(state, { bytesWritten: 1000, writableLength: 1000 })
  vi.advanceTimersByTime(29_000)
  expect(found()).toBeUndefined()
})
