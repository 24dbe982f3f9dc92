import type { SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { FaultKind } from '../world/fault-kinds.ts'
import type { Process, Processes } from '../world/processes.ts'
import type { World } from '../world/world.ts'

export interface DisturbTransactionOptions {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly processes: Processes
  /** Starts another run of the same connector. */
  startAnother(): void
}

export const transactionFaults: readonly FaultKind[] = [
  'killed in a transaction',
  'paused in a transaction',
  'cut off in a transaction',
]

/** Gives occasions for faults at a step of a transaction. A fault soon after the step hits requests in flight. */
export function disturbTransaction(options: DisturbTransactionOptions, process: Process): void {
  const { world, kafka, processes, startAnother } = options
  const soon = (what: () => void) => void world.later(world.random.integer(world.random.pick([3, 30])), what)
  if (world.strikes('killed in a transaction')) soon(() => processes.kill(process))
  if (world.strikes('cut off in a transaction'))
    soon(() => kafka.cutOff(process, world.random.integer(world.random.pick([1_000, 10_000, 100_000]))))
  if (!world.strikes('paused in a transaction')) return
  soon(() => {
    processes.pause(process, world.random.integer(world.random.pick([1_000, 60_000, 200_000])))
    if (world.random.integer(2) === 0) startAnother()
  })
}
