import { type Program, runAs } from './program.ts'
import { createTimerQueue } from './timer-queue.ts'

/** A clock that is moved by hand. */
export interface Timeline {
  /** Milliseconds since the start. */
  readonly now: number
  /** As `World.later`. Without a program the function always runs. */
  later(ms: number, what: () => void, program?: Program): () => void
  /** Moves to the next timer and runs it. False: there is none. */
  advance(): boolean
}

interface Timer {
  at: number
  readonly order: number
  /** Undefined when it is cancelled, so that its references can be freed early. */
  what: (() => void) | undefined
  readonly program: Program | undefined
}

export function createTimeline(): Timeline {
  const timers = createTimerQueue<Timer>()
  let now = 0
  let order = 0

  function later(ms: number, what: () => void, program?: Program): () => void {
    const timer: Timer = { at: now + ms, order: order++, what, program }
    timers.add(timer)
    return () => {
      timer.what = undefined
    }
  }

  /** The next timer that fires. A timer of a paused program is postponed. */
  function next(): Timer | undefined {
    for (let timer = timers.take(); timer; timer = timers.take()) {
      const { program } = timer
      if (!timer.what || program?.killed) continue
      if (program && program.pausedUntil > timer.at) {
        timer.at = program.pausedUntil
        timers.add(timer)
        continue
      }
      return timer
    }
    return undefined
  }

  return {
    get now() {
      return now
    },
    later,
    advance() {
      const timer = next()
      if (!timer) return false
      now = timer.at
      if (timer.program) runAs(timer.program, timer.what!)
      else timer.what!()
      return true
    },
  }
}
