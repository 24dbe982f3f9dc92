import { createProgram, type Program } from '../time/program.ts'
import type { Disturbance } from './disturbances.ts'
import type { World } from './world.ts'

/** A started program. */
export interface Process extends Program {
  /** Resolves when its main function has returned, or it was killed. Rejects if the main function does. */
  readonly ended: Promise<'returned' | 'killed'>
}

/** The programs of a scenario, which are killed and paused and whose clocks jump. */
export interface Processes {
  start(name: string, main: (process: Process) => Promise<void>, options?: StartOptions): Process
  /** As `kill -9` does. */
  kill(process: Process): void
  /** As SIGSTOP and SIGCONT do. */
  pause(process: Process, ms: number): void
  readonly disturbances: readonly Disturbance[]
}

export interface StartOptions {
  /** Whether it may be killed. False for one that keeps its observations in memory. Default: true. */
  readonly mortal?: boolean
}

export interface ProcessesOptions {
  /** Maximum pause of one program. Default: longer than any transaction. Pauses of all programs last hours. */
  readonly longestPauseMs?: number
}

export function createProcesses(world: World, { longestPauseMs = 1_200_000 }: ProcessesOptions = {}): Processes {
  const running = new Map<Process, () => void>()
  const immortal = new WeakSet<Process>()

  function one(only = (_: Process) => true): Process | undefined {
    const all = [...running.keys()].filter(only)
    return all.length === 0 ? undefined : world.random.pick(all)
  }

  function kill(process: Process): void {
    const killed = running.get(process)
    if (!killed) return
    world.note(process.name, 'is killed')
    process.killed = true
    running.delete(process)
    killed()
  }

  function pause(process: Process, ms: number): void {
    if (!running.has(process)) return
    world.note(process.name, `is paused for ${ms} ms`)
    process.pausedUntil = Math.max(process.pausedUntil, world.now() + ms)
    world.faultLasts(ms)
  }

  return {
    kill,
    pause,
    start(name, main, { mortal = true } = {}) {
      const { promise: ended, resolve, reject } = Promise.withResolvers<'returned' | 'killed'>()
      const process: Process = Object.assign(createProgram(name), { ended })
      running.set(process, () => resolve('killed'))
      if (!mortal) immortal.add(process)
      world.note(name, 'starts')
      const finish = (): boolean => running.delete(process)
      world.later(
        0,
        () => {
          main(process).then(
            () => void (finish() && resolve('returned')),
            (error) => void (finish() && reject(error)),
          )
        },
        process,
      )
      return process
    },
    disturbances: [
      {
        kind: 'program killed',
        strike() {
          const process = one((process) => !immortal.has(process))
          if (process) kill(process)
        },
      },
      {
        kind: 'program paused',
        strike() {
          const process = one()
          if (!process) return
          if (world.random.integer(40) > 0) {
            pause(process, world.random.integer(world.random.pick([100, 10_000, 100_000])))
          } else if (world.random.integer(2) === 0) {
            pause(process, world.random.integer(longestPauseMs))
          } else {
            // Running programs poll all the time, so hours are cheap only while all are paused.
            const ms = world.random.integer(hours)
            for (const each of running.keys()) pause(each, ms + world.random.integer(10_000))
          }
        },
      },
      {
        kind: 'clock jumped',
        strike() {
          const process = one()
          if (!process) return
          process.clockOffset = world.random.integer(world.random.pick([2_000, 7_200_000])) * world.random.pick([-1, 1])
          world.note(process.name, `has its clock off by ${process.clockOffset} ms`)
        },
      },
    ],
  }
}

/** In ms. */
const hours = 10_000_000
