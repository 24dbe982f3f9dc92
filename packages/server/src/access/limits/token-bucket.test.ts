import { expect, test } from 'vitest'
import { bucketState, createTokenBucket, lendTokens, settleTokens, takeToken } from './token-bucket.ts'

function bucketAt(start: number) {
  const time = { now: start }
  const bucket = createTokenBucket({ rate: 100, burst: 200 }, start)
  return { time, bucket, take: () => takeToken(bucket, time.now) }
}

function takeAll(take: () => boolean): number {
  let taken = 0
  while (take()) taken++
  return taken
}

test('a full bucket grants its burst at once, then nothing', () => {
  const { bucket, take } = bucketAt(5)
  expect(takeAll(take)).toBe(200)
  expect(bucketState(bucket).secondsUntilNext).toBe(1)
  expect(bucketState(bucket).secondsUntilFull).toBe(2)
})

test('a bucket fills at its rate, and never above its burst', () => {
  const { bucket, take, time } = bucketAt(0)
  takeAll(take)
  time.now += 1000
  take()
  expect(bucketState(bucket).remaining).toBe(99)
  expect(takeAll(take)).toBe(99)
  time.now += 3_600_000
  expect(takeAll(take)).toBe(200)
})

test('fractions of a token are kept between calls', () => {
  const { take, time } = bucketAt(0)
  takeAll(take)
  let taken = 0
  for (let n = 0; n < 1000; n++) {
    time.now += 1
    if (take()) taken++
  }
  expect(taken).toBeGreaterThanOrEqual(99)
  expect(taken).toBeLessThanOrEqual(100)
})

test('lent tokens are not replaced until they are settled', () => {
  const { bucket, take, time } = bucketAt(0)
  lendTokens(bucket, 50)
  time.now += 10_000
  expect(takeAll(take)).toBe(150)
  time.now += 10_000
  settleTokens(bucket, 50, 20, time.now)
  expect(takeAll(take)).toBe(170)
})
