import type { SimulatedKafka } from '../kafka/simulated-kafka.ts'
import { loggerOf } from '../kafka/simulated-kafka.ts'
import type { Process, Processes } from '../world/processes.ts'
import type { World } from '../world/world.ts'
import { type SimulatedGateway, startGateway } from './simulated-gateway.ts'

/** A gateway whose name stays when its process restarts. */
export interface GatewayPlace {
  readonly name: string
  /** The process that accepts connections. Undefined: they are refused. */
  readonly running: RunningGateway | undefined
}

export interface RunningGateway {
  readonly process: Process
  readonly gateway: SimulatedGateway
}

/** Runs a gateway and restarts it whenever it ends. */
export function runGateway(world: World, kafka: SimulatedKafka, processes: Processes, name: string): GatewayPlace {
  let running: RunningGateway | undefined
  const { random } = world
  const limits = {
    feedBytes: random.pick([500, 2_000, 4 << 20]),
    historyBytes: random.pick([1, 4_000, 32 << 20]),
    unsentBytes: random.pick([1, 1_000, 256 << 10]),
    pageBytes: random.pick([500, 4 << 20]),
    feedLingerMs: random.pick([1_000, 60_000]),
  }

  async function main(process: Process): Promise<void> {
    const log = loggerOf(world, process)
    try {
      const queue = await kafka.open(process)
      const gateway = await startGateway({ queue, limits, log, signal: new AbortController().signal })
      world.note(name, 'takes connections')
      running = { process, gateway }
      await new Promise<never>(() => {})
    } catch (error) {
      log.error({ err: error }, 'gateway cannot start')
    }
  }

  async function keepRunning(): Promise<void> {
    for (let starts = 1; ; starts++) {
      const process = processes.start(`${name}.${starts}`, () => main(process))
      await process.ended
      running = undefined
      await world.wait(100 + random.integer(random.pick([100, 5_000])))
    }
  }

  void keepRunning()
  return {
    name,
    get running() {
      return running
    },
  }
}
