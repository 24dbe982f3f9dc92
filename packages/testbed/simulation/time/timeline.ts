import { type Program, runAs } from './program.ts'
import { createTimerQueue } from './timer-queue.ts'

/** A time that passes only where it is moved. */
export interface Timeline {
  /** Milliseconds since the beginning. */
  readonly now: number
  /**
   * Calls a function after some time, as a part of a program: not before its pause is over, and never once it is killed.
   * Without a program it belongs to the world. The function that is returned cancels it.
   */
  later(ms: number, what: () => void, program?: Program): () => void
  /** Moves to what is due next and does it. False: nothing is due any more. */
  advance(): boolean
}

interface Timer {
  at: number
  readonly order: number
  /** `undefined` once it is cancelled, so that what it refers to can be freed before it is due. */
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

  /** The next timer that fires. One of a program that is paused is put off. */
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
