import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'

/**
 * Calls a function when a broker learns the current decision of the controller: later, and never while it is isolated.
 */
export type Announce = (broker: Broker, learn: (process: Program) => void) => void

/** Decisions of one moment reach a broker together, in order. */
export function createAnnouncements(world: World, brokerDelay: () => number): Announce {
  const newest = new Map<Program, { readonly at: number; readonly learn: ((process: Program) => void)[] }>()
  return ({ process, isolation }, learn) => {
    if (!process || isolation) return
    const before = newest.get(process)
    if (before?.at === world.now()) {
      before.learn.push(learn)
      return
    }
    const together = { at: world.now(), learn: [learn] }
    newest.set(process, together)
    // A paused broker continues with the old state until the second message arrives.
    const learnAll = () => {
      for (const one of together.learn) one(process)
    }
    world.later(brokerDelay(), () => void world.later(brokerDelay(), learnAll, process), process)
  }
}
