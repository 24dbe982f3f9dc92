import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'

/** Calls a function when a broker learns what the controller decides now: later, and never where it is cut off. */
export type Announce = (broker: Broker, learn: (process: Program) => void) => void

/** What is decided at one time reaches a broker together, in order. */
export function createAnnouncements(world: World, brokerDelay: () => number): Announce {
  const newest = new Map<Program, { readonly at: number; readonly learn: ((process: Program) => void)[] }>()
  return ({ process, reached }, learn) => {
    if (!process || reached) return
    const before = newest.get(process)
    if (before?.at === world.now()) {
      before.learn.push(learn)
      return
    }
    const together = { at: world.now(), learn: [learn] }
    newest.set(process, together)
    // The second message is what a broker that was paused waits for: until then it takes itself for what it was.
    const learnAll = () => {
      for (const one of together.learn) one(process)
    }
    world.later(brokerDelay(), () => void world.later(brokerDelay(), learnAll, process), process)
  }
}
