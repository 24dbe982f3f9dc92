import type { Random } from '../../../../scripts/random.ts'
import type { Program } from '../time/program.ts'
import type { FaultKind } from './fault-kinds.ts'

/** What every part of the simulation is handed. */
export interface World {
  /** Decides every delay and order. */
  readonly random: Random
  /** Milliseconds since the beginning. */
  now(): number
  /**
   * Calls a function after some time, as a part of a program: not before its pause is over, and never once it is killed.
   * The function that is returned cancels it.
   */
  later(ms: number, what: () => void, program?: Program): () => void
  wait(ms: number, program?: Program): Promise<void>
  /** Whether a fault strikes on this occasion. Never once the faults have ended. */
  strikes(kind: FaultKind): boolean
  /** The kinds that have struck so far. */
  readonly struck: ReadonlySet<FaultKind>
  /** Whether faults may still happen. When they have ended, everything has to catch up. */
  readonly faulty: boolean
  /** When the faults end, in ms since the beginning. */
  readonly faultsEnd: number
  /** Resolves when the faults end. */
  readonly healed: Promise<void>
  /**
   * A fault that has struck lasts so long: nobody is expected to have caught up before. One that never ends is no
   * excuse.
   */
  lasts(ms: number): void
  /** A program asks something of a broker or a node. Once no fault lasts any more, it may not do that without end. */
  asks(): void
  /** For how long no fault has lasted any more, in ms. 0 while one does, or faults may still happen. */
  readonly calmMs: number
  /** Ends the simulation: the promise is broken. Only the first one counts. */
  fail(what: string): void
  /** Notes what happened, for a trace that a person reads. */
  note(who: string, what: string | (() => string)): void
}
