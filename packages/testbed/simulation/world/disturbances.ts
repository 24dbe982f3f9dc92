import type { FaultKind } from './fault-kinds.ts'
import type { World } from './world.ts'

/** Something that is done to the world now and then. */
export interface Disturbance {
  readonly kind: FaultKind
  /** Does it. While a promise is pending it is not done again. */
  strike(): Promise<void> | void
}

/** Has occasions for disturbances, until the faults end. They come in bursts: many within a second, or one in a minute. */
export function disturb(world: World, disturbances: readonly Disturbance[]): void {
  for (const disturbance of disturbances) void repeat(world, disturbance)
}

async function repeat(world: World, { kind, strike }: Disturbance): Promise<void> {
  while (world.faulty) {
    await world.wait(world.random.integer(world.random.pick([50, 2_000, 20_000, 20_000])))
    if (world.strikes(kind)) await strike()
  }
}
