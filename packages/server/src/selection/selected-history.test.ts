import { expect, test } from 'vitest'
import { createTurns } from './selected-history.ts'

test('readers take turns, one in each turn of the event loop', async () => {
  const takeTurn = createTurns()
  let loops = 0
  let counting = true
  const count = () => {
    loops++
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  const seen: [reader: string, loop: number][] = []
  const read = async (reader: string) => {
    for (let window = 0; window < 3; window++) {
      await takeTurn()
      seen.push([reader, loops])
    }
  }
  await Promise.all([read('a'), read('b')])
  counting = false
  expect(seen.map(([reader]) => reader).join('')).toBe('ababab')
  expect(new Set(seen.map(([, loop]) => loop)).size).toBe(6)
})
