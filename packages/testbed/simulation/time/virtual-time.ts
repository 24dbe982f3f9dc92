import type { Random } from '../../../../scripts/random.ts'
import { currentProgram, type Program } from './program.ts'
import { replaceClocks } from './replace-clocks.ts'
import { createTimeline } from './timeline.ts'

/** Time in the hands of the simulation. */
export interface VirtualTime extends Disposable {
  /** Milliseconds since the beginning. */
  readonly now: number
  /**
   * Calls a function after some time, as a part of a program: not before its pause is over, and never once it is killed.
   * Without a program it belongs to the world. The function that is returned cancels it.
   */
  later(ms: number, what: () => void, program?: Program): () => void
  /** Begins something, then calls a function that may step. Resolves when it has returned. */
  run(begin: () => void, steps: () => void): Promise<void>
  /**
   * Moves to what is due next, does it, and lets everything happen that follows from it without waiting. False: nothing
   * is due any more. The event loop does not turn in between: what waits for real I/O or a real thread waits in vain.
   */
  step(): boolean
}

/**
 * Takes over the timers, the clocks and the random numbers of this process until it is disposed, in modules too that
 * have imported them already. Microtasks and `process.nextTick` stay as they are: they take no time.
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
        // Microtasks run to their end within a call only where none is running.
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
