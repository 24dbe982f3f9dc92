import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FromRun } from '../process-messages.ts'
import { createRunEffect } from './run-once.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const topics = ['acme.clock.1_0_0.clock_Tick']
const published: FromRun = { type: 'published', topics }
const nothingNew: FromRun = { type: 'nothing_new', checkpoint: { page: 7 } }

/** A run that continues after a checkpoint, or begins with `null`. */
function start(checkpoint: unknown) {
  const reported: FromRun[] = []
  const { onStart, onCommit, ended, close } = createRunEffect((message) => reported.push(message))
  onStart({ topics, checkpoint })
  return { reported, commit: onCommit, ended, close }
}

test('a run that continues and publishes nothing is reported once', () => {
  const { reported, commit } = start({ page: 7 })
  expect(reported).toEqual([published])
  vi.runAllTimers()
  expect(reported).toEqual([published, nothingNew])
  commit()
  expect(reported).toHaveLength(2)
})

test('a run that publishes nothing is reported at once when its source ends', () => {
  const { reported, ended } = start({ page: 7 })
  ended()
  expect(reported).toEqual([published, nothingNew])
  vi.runAllTimers()
  expect(reported).toHaveLength(2)
})

test('a run that publishes records reports its topics, and is not reported as idle', () => {
  const { reported, commit, ended } = start({ page: 7 })
  commit()
  vi.runAllTimers()
  ended()
  expect(reported.filter(({ type }) => type === 'nothing_new')).toEqual([])
})

test('a first run reports its topics with the first records, and is never reported as idle', () => {
  const { reported, commit, ended } = start(null)
  vi.runAllTimers()
  expect(reported).toEqual([])
  commit()
  commit()
  ended()
  expect(reported).toEqual([published])
})

test('a run that was stopped reports nothing more', () => {
  const { reported, close } = start({ page: 7 })
  close()
  vi.runAllTimers()
  expect(reported).toEqual([published])
})
