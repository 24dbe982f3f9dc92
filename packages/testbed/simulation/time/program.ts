import { AsyncLocalStorage } from 'node:async_hooks'

/** A process that is simulated: everything that it waits for stands still while it is paused, and ends when it is killed. */
export interface Program {
  readonly name: string
  killed: boolean
  /** Time until which it does not run, in ms since the beginning. */
  pausedUntil: number
  /** How far its clock of the day is off, in ms. Its monotonic clock is right. */
  clockOffset: number
}

export function createProgram(name: string): Program {
  return { name, killed: false, pausedUntil: 0, clockOffset: 0 }
}

const running = new AsyncLocalStorage<Program | undefined>()

/** The program that the caller is part of. */
export function currentProgram(): Program | undefined {
  return running.getStore()
}

/** Calls a function as a part of a program: so is everything that follows from it. */
export function runAs<T>(program: Program | undefined, what: () => T): T {
  return running.run(program, what)
}
