import { AsyncLocalStorage } from 'node:async_hooks'

/** A simulated process. Its timers wait while it is paused, and never fire after it was killed. */
export interface Program {
  readonly name: string
  killed: boolean
  /** End of its pause, in ms since the start. */
  pausedUntil: number
  /** Offset of its wall clock, in ms. Its monotonic clock is right. */
  clockOffset: number
}

export function createProgram(name: string): Program {
  return { name, killed: false, pausedUntil: 0, clockOffset: 0 }
}

const running = new AsyncLocalStorage<Program | undefined>()

/** The program of the caller. */
export function currentProgram(): Program | undefined {
  return running.getStore()
}

/** Calls a function, and everything that follows from it, as part of a program. */
export function runAs<T>(program: Program | undefined, what: () => T): T {
  return running.run(program, what)
}
