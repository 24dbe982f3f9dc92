import type { SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { Disturbance } from '../world/disturbances.ts'
import type { World } from '../world/world.ts'

/** Skips nearly all epochs of a writer, so that it soon gets another producer id. */
export function exhaustEpochs(world: World, kafka: SimulatedKafka, writerId: string): Disturbance {
  return {
    kind: 'epochs used up',
    strike() {
      world.note('world', `the epochs of ${writerId} are used up`)
      kafka.coordinator.exhaustEpochs(writerId)
    },
  }
}
