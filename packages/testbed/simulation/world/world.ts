import type { Random } from '../../random.ts'
import type { Program } from '../time/program.ts'
import type { FaultKind } from './fault-kinds.ts'

/** The context of every part of the simulation. */
export interface World {
  /** Source of every delay and order. */
  readonly random: Random
  /** Milliseconds since the start. */
  now(): number
  /**
   * Calls a function after some time as part of a program: not during its pause, and never after it was killed. Returns
   * a function that cancels the call.
   */
  later(ms: number, what: () => void, program?: Program): () => void
  wait(ms: number, program?: Program): Promise<void>
  /** Whether a fault happens on this occasion. Never after the faults have ended. */
  strikes(kind: FaultKind): boolean
  /** The kinds of faults so far. */
  readonly struck: ReadonlySet<FaultKind>
  /** Whether faults may still happen. Afterwards everything has to catch up. */
  readonly faulty: boolean
  /** End of the faults, in ms since the start. */
  readonly faultsEnd: number
  /** Resolves when the faults end. */
  readonly healed: Promise<void>
  /**
   * The effect of a fault lasts this long, and nobody has to catch up before its end. An infinite one does not count.
   */
  faultLasts(ms: number): void
  /** Counts a request of a program to a broker or a node. When no fault lasts, the number is limited. */
  countRequest(): void
  /** Raises that limit: a program was asked for what takes up to `count` requests. */
  allowRequests(count: number): void
  /** Time since the last fault ended, in ms. 0 while a fault lasts or faults may still happen. */
  readonly calmMs: number
  /** Ends the simulation with a failure. Only the first call counts. */
  fail(what: string): void
  /** Adds a line to the trace. */
  note(who: string, what: string | (() => string)): void
}
