import type { FaultKind } from './fault-kinds.ts'
import type { World } from './world.ts'

/** A fault that happens from time to time. */
export interface Disturbance {
  readonly kind: FaultKind
  /** Causes it. It is not caused again before the promise is resolved. */
  strike(): Promise<void> | void
}

/**
 * Schedules occasions for disturbances until the faults end. They come in bursts: many within a second, or one per
 * minute.
 */
export function disturb(world: World, disturbances: readonly Disturbance[]): void {
  for (const disturbance of disturbances) void repeat(world, disturbance)
}

async function repeat(world: World, { kind, strike }: Disturbance): Promise<void> {
  while (world.faulty) {
    await world.wait(world.random.integer(world.random.pick([50, 2_000, 20_000, 20_000])))
    if (world.strikes(kind)) await strike()
  }
}
