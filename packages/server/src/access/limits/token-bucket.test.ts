import { expect, test } from 'vitest'
import { createTokenBucket } from './key-limits.ts'

function bucketAt(start: number) {
  const time = { now: start }
  return { time, bucket: createTokenBucket({ rate: 100, burst: 200, clock: () => time.now }) }
}

function takeAll(bucket: { take(): boolean }): number {
  let taken = 0
  while (bucket.take()) taken++
  return taken
}

test('a full bucket grants its burst at once, then nothing', () => {
  const { bucket } = bucketAt(5)
  expect(takeAll(bucket)).toBe(200)
  expect(bucket.secondsUntilNext()).toBe(1)
  expect(bucket.secondsUntilFull()).toBe(2)
})

test('a bucket fills at its rate, and never above its burst', () => {
  const { bucket, time } = bucketAt(0)
  takeAll(bucket)
  time.now += 1000
  bucket.take()
  expect(bucket.remaining()).toBe(99)
  expect(takeAll(bucket)).toBe(99)
  time.now += 3_600_000
  expect(takeAll(bucket)).toBe(200)
})

test('fractions of a token are kept between calls', () => {
  const { bucket, time } = bucketAt(0)
  takeAll(bucket)
  let taken = 0
  for (let n = 0; n < 1000; n++) {
    time.now += 1
    if (bucket.take()) taken++
  }
  expect(taken).toBeGreaterThanOrEqual(99)
  expect(taken).toBeLessThanOrEqual(100)
})
