import { expect, test } from 'vitest'
import { cutTrace } from './cut-trace.ts'
import { failureKind } from './failure-kind.ts'
import { shrink } from './shrink.ts'

const faults = Array.from({ length: 40 }, (_, index) => `fault ${index}`)

async function shrinkWhere(fails: (left: readonly string[]) => boolean, maxAttempts = 1000) {
  let attempts = 0
  const left = await shrink({
    faults,
    maxAttempts,
    async attempt(left) {
      attempts++
      return fails(left) ? left : undefined
    },
  })
  return { left, attempts }
}

test('a shrunk failure keeps only the necessary faults', async () => {
  const needed = ['fault 3', 'fault 17', 'fault 38']
  const { left, attempts } = await shrinkWhere((left) => needed.every((fault) => left.includes(fault)))
  expect(left).toEqual(needed)
  expect(attempts).toBeLessThan(80)
})

test('a failure that needs no fault is shrunk in one attempt', async () => {
  expect(await shrinkWhere(() => true)).toEqual({ left: [], attempts: 1 })
})

test('a failure that needs all faults keeps them', async () => {
  expect((await shrinkWhere((left) => left.length === faults.length)).left).toEqual(faults)
})

test('a failure that needs either of two faults keeps one of them', async () => {
  const { left } = await shrinkWhere((left) => left.includes('fault 1') || left.includes('fault 39'))
  expect(left).toHaveLength(1)
})

test('a fault that did not happen in a shorter run is not tried again', async () => {
  const tried: (readonly string[])[] = []
  const left = await shrink({
    faults,
    maxAttempts: 1000,
    async attempt(left) {
      tried.push(left)
      return left.includes('fault 5') ? left.filter((fault) => fault <= 'fault 5') : undefined
    },
  })
  expect(left).toEqual(['fault 5'])
})

test('shrinking ends after the maximum number of attempts', async () => {
  const { left, attempts } = await shrinkWhere((left) => left.includes('fault 3') && left.includes('fault 30'), 5)
  expect(attempts).toBe(5)
  expect(left).toContain('fault 3')
  expect(left).toContain('fault 30')
})

test('failures that differ only in numbers are of one kind', () => {
  expect(failureKind('partition 0 shows 3/1 of run 2')).toBe(failureKind('partition 1 shows 12/0 of run 31'))
  expect(failureKind('it threw Error: one\n    at somewhere')).not.toBe(failureKind('it threw Error: two\n    at'))
})

const line = (ms: number, what: string) => `${ms.toFixed(1).padStart(10)}  ${what}`

test('a shortened trace keeps its first line, its faults with their effects, and its end', () => {
  const trace = Array.from({ length: 20 }, (_, index) => line(index, `run 1        asks for ${index}`))
  trace[5] = line(5, '! fault      request lost 1')
  expect(cutTrace(trace, 2)).toEqual([
    trace[0],
    '            … 4 lines …',
    trace[5],
    trace[6],
    '            … 11 lines …',
    trace[18],
    trace[19],
  ])
})

test('repeated lines of a trace are kept once', () => {
  const cycle = ['run 1        asks', 'broker 1     answers']
  const trace = [
    ...Array.from({ length: 60 }, (_, index) => line(index, cycle[index % 2]!)),
    line(60, 'oracle       no'),
  ]
  expect(cutTrace(trace)).toEqual([...trace.slice(0, 2), '            … the last 2 lines 29 times more …', trace[60]])
})
