import { readCheckpoint, registerTopics } from '../../../catalog/src/index.ts'
import {
  type Cleanup,
  CommitUnknownError,
  FencedError,
  QueueUnavailableError,
  TransactionAbortedError,
  type Writer,
} from '../../../queue/src/index.ts'
import { settingsFor } from '../../../queue/src/kafka/admin/topic-settings.ts'
import type { SealedRecords } from '../gateway/connection.ts'
import { runGateway } from '../gateway/gateways.ts'
import { neededTopics, registrationOf, sendUnit, topic, writerId } from '../gateway/ledger.ts'
import { createLogTruth } from '../gateway/log-truth.ts'
import { readSealed } from '../gateway/pages.ts'
import { createPlan } from '../gateway/plan.ts'
import { readAll } from '../gateway/reader.ts'
import { createSimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { Scenario } from '../scenario.ts'
import type { Program } from '../time/program.ts'
import { disturb } from '../world/disturbances.ts'
import { createProcesses } from '../world/processes.ts'

const configs = (cleanup: Cleanup): Map<string, string> => new Map(Object.entries(settingsFor(cleanup)))

/** Gateways on one queue, with readers that are slow, disconnect, and continue at another gateway. */
export const gateway: Scenario = {
  name: 'gateway',
  faults: [
    'request lost',
    'answer lost',
    'request held',
    'answer held',
    'throttled',
    'leader moved',
    'coordinator moved',
    'log compacted',
    'broker killed',
    'broker stays broken',
    'broker paused',
    'broker cut off',
    'markers late',
    'program killed',
    'program paused',
    'clock jumped',
    'reader cut',
    'reader slow',
    'records removed',
  ],
  async run(world) {
    const { random } = world
    const plan = createPlan(random, { partitions: random.pick([1, 1, 2, 3]), units: 5 + random.integer(6) })
    const truth = createLogTruth(world, plan)
    const kafka = createSimulatedKafka(world, { onStable: truth.shown })
    const processes = createProcesses(world)
    const registered = Promise.withResolvers<void>()
    const pace = random.pick([10, 500, 5_000])
    const slowness = random.pick([1, 1, 20])
    const delay = (): number => 0.2 + (random.integer(100) / 100) * slowness

    kafka.topics.create(topic, plan.partitions, configs('delete'))
    for (const name of neededTopics) kafka.topics.create(name, 1, configs('compact'))
    // Time for every broker to learn of the topics.
    await world.wait(200)

    async function publish(program: Program, claim: string): Promise<void> {
      const queue = await kafka.open(program)
      await registerTopics(queue, [registrationOf(plan)])
      registered.resolve()
      const open = () => queue.openWriter({ id: writerId, claim, transactionTimeoutMs: 60_000 })
      const published = async () => (await readCheckpoint(queue, writerId))?.unit ?? 0
      let writer: Writer = await open()
      let next = await published()
      while (next < plan.units.length) {
        const together = plan.units.slice(next, next + 1 + random.integer(2))
        try {
          const transaction = writer.begin()
          for (const unit of together) sendUnit(transaction, unit)
          await transaction.commit()
          next += together.length
        } catch (error) {
          if (!temporaryErrors.some((kind) => error instanceof kind)) throw error
          await writer.close()
          writer = await open()
          next = await published()
        }
        await world.wait(random.integer(pace), program)
      }
      await queue.close()
    }

    async function runUntilPublished(): Promise<void> {
      for (let runs = 1; !truth.isComplete(); runs++) {
        const run = processes.start(`publisher ${runs}`, async (program) => {
          try {
            await publish(program, `claim ${runs}`)
          } catch (error) {
            world.note(program.name, `ends: ${(error as Error).message}`)
            if (![...temporaryErrors, FencedError].some((kind) => error instanceof kind)) throw error
          }
        })
        await run.ended
        await world.wait(random.integer(2_000))
      }
    }

    disturb(world, [
      ...kafka.disturbances,
      ...processes.disturbances,
      {
        kind: 'records removed',
        strike() {
          const partition = random.integer(plan.partitions)
          const segments = truth.segmentsOf(partition)
          if (segments.length === 0) return
          const before = random.pick(segments)
          if (!kafka.topics.current.get(topic)!.partitions[partition]!.retainFrom(before)) return
          world.note('world', `removes what is before ${before} of partition ${partition}`)
          truth.removed(partition, before)
        },
      },
    ])
    const publishing = runUntilPublished()
    await registered.promise
    const gateways = Array.from({ length: 1 + random.integer(2) }, (_, index) =>
      runGateway(world, kafka, processes, `gateway ${index + 1}`),
    )
    const isStaleSince = (ms: number): boolean =>
      kafka.topics.current.get(topic)!.partitions.some(({ staleUntil }) => staleUntil >= ms)
    const sealed = new Map<string, SealedRecords>()
    const readers = Array.from({ length: 2 + random.integer(3) }, (_, index) =>
      processes.start(
        `reader ${index + 1}`,
        (program) => readAll({ world, truth, gateways, isStaleSince, delay, sealed }, program),
        {
          mortal: false,
        },
      ),
    )
    await Promise.all([publishing, ...readers.map(({ ended }) => ended)])
    const again = (client: Program) => readSealed({ world, truth, client, delay, sealed }, gateways)
    await processes.start('reader of sealed pages', again, { mortal: false }).ended
  },
}

const temporaryErrors = [CommitUnknownError, QueueUnavailableError, TransactionAbortedError]
