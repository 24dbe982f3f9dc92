import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { setInterval as intervalOf, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRandom } from '../../random.ts'
import { createProgram, currentProgram, runAs } from './program.ts'
import { takeOverTime, type VirtualTime } from './virtual-time.ts'

/** Replaces the clocks, calls a function and steps until no timer is left. */
async function inVirtualTime(begin: (time: VirtualTime) => void, seed = 1): Promise<void> {
  using time = takeOverTime(createRandom(seed))
  await time.run(
    () => begin(time),
    () => {
      while (time.step());
    },
  )
}

test('timers fire in the order of their times, and in the order of their start at equal times', async () => {
  const fired: string[] = []
  await inVirtualTime((time) => {
    const fire = (name: string) => fired.push(`${name} at ${time.now}`)
    setTimeout(fire, 20, 'late')
    setTimeout(fire, 10, 'first')
    setTimeout(fire, 10, 'second')
    setImmediate(fire, 'at once')
    for (const ms of [0, -5, Number.NaN, 2 ** 31]) setTimeout(fire, ms, `${ms}`)
  })
  expect(fired).toEqual([
    'at once at 0',
    '0 at 1',
    '-5 at 1',
    'NaN at 1',
    '2147483648 at 1',
    'first at 10',
    'second at 10',
    'late at 20',
  ])
})

test('a cleared timer does not fire, and a refreshed one fires later', async () => {
  const fired: string[] = []
  await inVirtualTime((time) => {
    clearTimeout(setTimeout(() => fired.push('cleared'), 5))
    clearImmediate(setImmediate(() => fired.push('cleared immediate')))
    setTimeout(() => fired.push('disposed'), 5)[Symbol.dispose]()
    clearTimeout(undefined)
    const refreshed = setTimeout(() => fired.push(`refreshed at ${time.now}`), 10).unref()
    setTimeout(() => refreshed.refresh(), 8)
  })
  expect(fired).toEqual(['refreshed at 18'])
})

test('an interval repeats until its own callback clears it', async () => {
  const fired: number[] = []
  await inVirtualTime((time) => {
    const interval = setInterval(() => {
      fired.push(time.now)
      if (fired.length === 3) clearInterval(interval)
    }, 100)
  })
  expect(fired).toEqual([100, 200, 300])
})

test('the promises of node:timers wait, repeat, and reject immediately when they are aborted', async () => {
  const seen: unknown[] = []
  await inVirtualTime((time) => {
    const stop = new AbortController()
    void sleep(50, 'value').then((value) => seen.push([time.now, value]))
    const aborted = ({ name, code }: Error & { code?: string }) => seen.push([time.now, name, code])
    sleep(1000, undefined, { signal: stop.signal }).catch(aborted)
    sleep(1000, undefined, { signal: AbortSignal.abort() }).catch(aborted)
    setTimeout(() => stop.abort(), 60)
    const tick = async (): Promise<void> => {
      for await (const value of intervalOf(100, 'tick')) {
        seen.push([time.now, value])
        if (time.now >= 200) return
      }
    }
    void tick()
  })
  expect(seen).toEqual([
    [0, 'AbortError', 'ABORT_ERR'],
    [50, 'value'],
    [60, 'AbortError', 'ABORT_ERR'],
    [100, 'tick'],
    [200, 'tick'],
  ])
})

test('a signal with a timeout is aborted after it', async () => {
  const seen: unknown[] = []
  await inVirtualTime((time) => {
    const signal = AbortSignal.timeout(30)
    signal.addEventListener('abort', () => seen.push(time.now, signal.reason.name))
  })
  expect(seen).toEqual([30, 'TimeoutError'])
})

test('the clocks show virtual time, and the wall clock of a program has its offset', async () => {
  const seen: unknown[] = []
  const program = { ...createProgram('one'), clockOffset: -5000 }
  const readClocks = () => seen.push([new Date().toISOString(), Date.now() - Date.UTC(2026, 0, 1), performance.now()])
  await inVirtualTime((time) => {
    readClocks()
    setTimeout(readClocks, 1500)
    time.later(2000, readClocks, program)
  })
  expect(seen).toEqual([
    ['2026-01-01T00:00:00.000Z', 0, 0],
    ['2026-01-01T00:00:01.500Z', 1500, 1500],
    ['2025-12-31T23:59:57.000Z', -3000, 2000],
  ])
})

test('a paused program continues after its pause, and a killed one never', async () => {
  const seen: unknown[] = []
  await inVirtualTime((time) => {
    const paused = createProgram('paused')
    const killed = createProgram('killed')
    for (const program of [paused, killed])
      runAs(program, async () => {
        await sleep(10)
        seen.push([time.now, program.name])
        await sleep(100)
        seen.push([time.now, currentProgram()?.name])
      })
    time.later(50, () => {
      paused.pausedUntil = 500
      killed.killed = true
    })
    setTimeout(() => seen.push([time.now, 'nobody']), 200)
  })
  expect(seen).toEqual([
    [10, 'paused'],
    [10, 'killed'],
    [200, 'nobody'],
    [500, 'paused'],
  ])
})

test('the seed determines all random values', async () => {
  const draw = async (seed: number): Promise<unknown[]> => {
    let drawn: unknown[] = []
    await inVirtualTime(() => {
      drawn = [Math.random(), randomUUID(), randomBytes(4).toString('hex'), randomInt(1000), randomInt(5, 7)]
    }, seed)
    return drawn
  }
  expect(await draw(1)).toEqual(await draw(1))
  expect(await draw(1)).not.toEqual(await draw(2))
})

test('disposing virtual time restores the clocks', async () => {
  const taken = () => [
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout,
    clearInterval,
    clearImmediate,
    sleep,
    Date,
    performance.now,
    AbortSignal.timeout,
    Math.random,
    randomUUID,
    randomBytes,
  ]
  const before = taken()
  await inVirtualTime(() => {
    for (const [index, own] of taken().entries()) expect(own).not.toBe(before[index])
  })
  expect(taken()).toEqual(before)
})

test('an error that a timer throws reaches the caller, and the clocks are restored', async () => {
  const before = setTimeout
  const failing = inVirtualTime(() => {
    setTimeout(() => {
      throw new Error('thrown by a timer')
    }, 10)
  })
  await expect(failing).rejects.toThrow('thrown by a timer')
  expect(setTimeout).toBe(before)
})
