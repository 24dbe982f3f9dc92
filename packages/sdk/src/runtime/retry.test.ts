import { expect, test } from 'vitest'
import { createRetry } from './retry.ts'

const never = new AbortController().signal

test('waiting ends when the budget would be over, and is possible again after a success', async () => {
  const retry = createRetry({ firstMs: 1, maxMs: 4, budgetMs: 20 }, never)
  const waits = async () => {
    let count = 0
    while (await retry.wait()) count++
    return count
  }
  expect(await waits()).toBeGreaterThan(1)
  expect(await retry.wait()).toBe(false)
  retry.reset()
  expect(await retry.wait()).toBe(true)
})

test('an abort ends a pause', async () => {
  const controller = new AbortController()
  const retry = createRetry({ firstMs: 60_000, budgetMs: 120_000 }, controller.signal)
  const waiting = retry.wait()
  controller.abort()
  expect(await waiting).toBe(true)
})
