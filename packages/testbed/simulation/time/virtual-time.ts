import type { Random } from '../../random.ts'
import { currentProgram, type Program } from './program.ts'
import { replaceClocks } from './replace-clocks.ts'
import { createTimeline } from './timeline.ts'

/** The time of a simulation. */
export interface VirtualTime extends Disposable {
  /** Milliseconds since the start. */
  readonly now: number
  /** As `World.later`. Without a program the function always runs. */
  later(ms: number, what: () => void, program?: Program): () => void
  /** Calls `begin`, then `steps`, which may call `step`. Resolves when both have returned. */
  run(begin: () => void, steps: () => void): Promise<void>
  /**
   * Runs the next timer and all microtasks that follow. False: there is no timer. The event loop does not turn, so real
   * I/O and real threads never complete.
   */
  step(): boolean
}

/**
 * Replaces timers, clocks and random numbers of this process until it is disposed, also in modules that have already
 * imported them. Microtasks and `process.nextTick` take no time and stay.
 */
export function takeOverTime(random: Random): VirtualTime {
  const timeline = createTimeline()
  const { setImmediate } = globalThis
  const drain = (process as unknown as { readonly _tickCallback: () => void })._tickCallback
  const restore = replaceClocks({
    now: () => timeline.now,
    later: (ms, what) => timeline.later(ms, what, currentProgram()),
    random,
  })
  return {
    get now() {
      return timeline.now
    },
    later: timeline.later,
    run: (begin, steps) =>
      new Promise((resolve, reject) => {
        // Microtasks can only be drained inside a call that is not itself a microtask.
        setImmediate(() => {
          try {
            begin()
            drain()
            resolve(steps())
          } catch (error) {
            reject(error)
          }
        })
      }),
    step() {
      if (!timeline.advance()) return false
      drain()
      return true
    },
    [Symbol.dispose]: restore,
  }
}
