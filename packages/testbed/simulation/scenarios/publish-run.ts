import {
  CommitUnknownError,
  FencedError,
  HeadraceError,
  type Queue,
  QueueUnavailableError,
  TransactionAbortedError,
} from '../../../queue/src/index.ts'
import { defaultKafkaSettings } from '../../../queue/src/kafka/connection/kafka-settings.ts'
import type { SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { UnitsOracle } from '../oracle/units-oracle.ts'
import type { Program } from '../time/program.ts'
import type { FaultKind } from '../world/fault-kinds.ts'
import type { Process } from '../world/processes.ts'
import type { World } from '../world/world.ts'
import { checkpoints, fillsBatch, lastUnit, partitions, publishUnit, topic, units } from './publish-units.ts'

export interface RunOptions {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly oracle: UnitsOracle
  readonly id: string
  readonly large: boolean
  /** Called before records are sent and before they are committed. */
  onStep(process: Process): void
  /** Time at which the source has a unit, in ms since the start. */
  availableAt(unit: number): number
}

/** A run of a connector, which publishes the missing units as the SDK does. */
export async function run(options: RunOptions, program: Process): Promise<void> {
  const { world, oracle } = options
  try {
    await publishMissing(options, program)
  } catch (error) {
    world.note(program.name, `ends: ${(error as Error).message}`)
    if (!(error instanceof FencedError)) checkFailure(world, program, error)
    else if (oracle.isNewest(program.name)) world.fail(`${program.name} is fenced although its claim is the newest`)
  }
}

async function publishMissing(options: RunOptions, program: Process): Promise<void> {
  const { world, kafka, oracle, id, large } = options
  const run = program.name
  const queue = await kafka.open(program)
  try {
    await createTopics(queue)
    const open = async () => {
      const writer = await queue.openWriter({ id, claim: run, transactionTimeoutMs: 60_000 })
      oracle.owns(run)
      return writer
    }
    let writer = await open()
    let unit = (await lastUnit(queue)) + 1
    for (let tries = 1; unit < units; tries++) {
      const waitMs = options.availableAt(unit) - world.now()
      if (waitMs > 0) await world.wait(waitMs, program)
      const attempt = `${run} attempt ${tries}`
      const transaction = writer.begin()
      try {
        const onStep = () => options.onStep(program)
        await publishUnit({ world, program, transaction, onStep }, { unit, run, attempt, large })
        oracle.committed(attempt)
        unit++
      } catch (error) {
        checkFailure(world, program, error)
        if (error instanceof TransactionAbortedError) {
          oracle.refused(attempt)
          await transaction.abort()
        } else {
          await writer.close()
          writer = await open()
          unit = (await lastUnit(queue)) + 1
        }
        await world.wait(Math.min(tries, 10) * 50, program)
      }
    }
    await writer.close()
  } finally {
    await queue.close()
  }
}

/** Another connector with its checkpoint in the same partition, which sometimes leaves a transaction open. */
export async function runNeighbour({ world, kafka }: RunOptions, program: Program): Promise<void> {
  let queue: Queue | undefined
  try {
    queue = await kafka.open(program)
    await createTopics(queue)
    const writer = await queue.openWriter({ id: 'headrace.neighbour', claim: program.name })
    for (let count = 0; count < 3; count++) {
      const transaction = writer.begin()
      for (const value of [Buffer.alloc(fillsBatch), Buffer.alloc(fillsBatch)])
        transaction.send({ topic: checkpoints, key: Buffer.from('neighbour'), value, time: 1 })
      await world.wait(world.random.integer(30_000), program)
      await transaction.commit()
    }
  } catch (error) {
    checkFailure(world, program, error)
  } finally {
    await queue?.close()
  }
}

async function createTopics(queue: Queue): Promise<void> {
  await queue.createTopics([
    { name: topic, partitions },
    { name: checkpoints, cleanup: 'compact' },
  ])
}

/** Throws an error that no fault explains. */
export function checkFailure(world: World, { name }: Program, error: unknown): void {
  if (isDenial(world, error)) return
  if (!expected.some((kind) => error instanceof kind)) throw error
  const { struck } = world
  const { message } = error as Error
  const explained =
    [...struck].some((kind) => !programFaults.includes(kind)) || !(error instanceof QueueUnavailableError)
  const settledMs = !struck.has('broker stays broken')
    ? reachableMs
    : message.includes('following')
      ? budgetMs + requestTimeoutMs
      : budgetMs
  if (error instanceof QueueUnavailableError && world.calmMs > settledMs)
    world.fail(`${name} fails although nothing has failed for ${world.calmMs} ms: ${message}`)
  // A leader waits for the markers of the previous transaction only for a limited time, which slow brokers exceed.
  const waited = message.includes('NOT_ENOUGH_REPLICAS')
  if (!explained || (struck.size === 0 && !waited)) world.fail(`${name} fails for no reason: ${message}`)
}

/** Whether the error is a missing permission that was withdrawn. */
export function isDenial({ struck }: World, error: unknown): error is HeadraceError {
  return struck.has('permission withdrawn') && error instanceof HeadraceError && error.code === 'permission_denied'
}

const expected = [CommitUnknownError, QueueUnavailableError, TransactionAbortedError]
/** Time after the last fault until everything is available, in ms. */
const reachableMs = 20_000
/** With a broker that stays broken, a retry budget may be used up already, and clients notice the failure later. */
const { budgetMs, requestTimeoutMs } = defaultKafkaSettings
const programFaults: readonly FaultKind[] = ['program killed', 'program paused', 'clock jumped', 'second run']
