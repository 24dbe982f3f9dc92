import type { Logger } from 'pino'
import type { Queue } from '../../../queue/src/index.ts'
import { type Connector, type RunObserver, runConnector, type Schema } from '../../../sdk/src/index.ts'
import { loggerOf, type SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { RunsOracle } from '../oracle/runs-oracle.ts'
import type { Program } from '../time/program.ts'
import type { Disturbance } from '../world/disturbances.ts'
import type { Process, Processes } from '../world/processes.ts'
import type { World } from '../world/world.ts'
import type { LoadedProject } from './connector-project.ts'
import { disturbTransaction } from './disturb-transaction.ts'

export interface ConnectorRunsOptions {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly processes: Processes
  readonly runs: RunsOracle
  /** Name in the trace: `run 1`, `run 2` … */
  readonly name: string
  readonly project: LoadedProject
  connector(program: Program): Connector<Schema, unknown>
  /** Whether a run may end with an error that is neither retryable nor a takeover. */
  isExcused?(error: unknown): boolean
}

/** Runs of one connector instance, some of them concurrent. */
export interface ConnectorRuns {
  /** Starts runs until `stop` is resolved. Resolves when the last one has ended without failure. */
  keepRunning(stop: Promise<void>): Promise<void>
  readonly disturbances: readonly Disturbance[]
}

export function createConnectorRuns(options: ConnectorRunsOptions): ConnectorRuns {
  const { world, kafka, processes, runs, name, project, connector, isExcused } = options
  const group = world.random.pick(['auto', 'auto', 'off'] as const)
  let started = 0
  let current: { readonly process: Process; readonly controller: AbortController } | undefined
  let another = Promise.withResolvers<void>()

  function start(): { readonly process: Process; readonly controller: AbortController } {
    const controller = new AbortController()
    const run = `${name} ${++started}`
    const process = processes.start(run, async (program) => {
      let error: unknown
      let queue: Queue | undefined
      try {
        queue = await kafka.open(program)
        const { reason } = await runConnector({
          ...project,
          connector: connector(program),
          queue: runs.watch(queue, run, () => disturbTransaction({ world, kafka, processes, startAnother }, process)),
          signal: controller.signal,
          log: loggerOf(world, program) as Logger,
          group,
          observer: observerOf(run),
        })
        if (reason !== 'stopped') world.fail(`${run} says "${reason}"`)
        if (!controller.signal.aborted) world.fail(`${run} has stopped by itself`)
      } catch (thrown) {
        error = thrown
        world.note(run, () => `ends: ${(thrown as Error).message}`)
      }
      runs.ended(run, isExcused?.(error) ? undefined : error)
      await queue?.close()
    })
    return { process, controller }
  }

  function startAnother(): void {
    another.resolve()
    another = Promise.withResolvers()
  }

  function observerOf(run: string): RunObserver {
    return { onStart: () => runs.owns(run) }
  }

  return {
    async keepRunning(stop) {
      let stopped = false
      void stop.then(() => {
        stopped = true
      })
      while (!stopped) {
        current = start()
        await Promise.race([current.process.ended, another.promise, stop])
        if (!stopped) await world.wait(world.random.integer(2_000))
      }
      current?.controller.abort()
      await current?.process.ended
    },
    disturbances: [
      {
        kind: 'second run',
        strike: startAnother,
      },
      {
        kind: 'run stopped',
        strike() {
          if (!current || current.process.killed) return
          world.note(current.process.name, 'is asked to stop')
          const { controller, process } = current
          world.later(0, () => controller.abort(), process)
        },
      },
    ],
  }
}
