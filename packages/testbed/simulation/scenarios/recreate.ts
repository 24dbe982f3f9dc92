import {
  CommitUnknownError,
  PositionLostError,
  type Queue,
  QueueUnavailableError,
  TopicMismatchError,
  TransactionAbortedError,
  UnknownTopicError,
} from '../../../queue/src/index.ts'
import { settingsFor } from '../../../queue/src/kafka/admin/topic-settings.ts'
import { createSimulatedKafka, type SimulatedKafka } from '../kafka/simulated-kafka.ts'
import { createIncarnationsOracle, type IncarnationsOracle } from '../oracle/incarnations-oracle.ts'
import type { Scenario } from '../scenario.ts'
import type { Program } from '../time/program.ts'
import { disturb } from '../world/disturbances.ts'
import { createProcesses } from '../world/processes.ts'
import type { World } from '../world/world.ts'

const topic = 'data'
const partitions = 2
const configs = new Map(Object.entries(settingsFor('delete')))

/** A topic is deleted, created again with the same name, and grown, while it is written and followed. */
export const recreate: Scenario = {
  name: 'recreate',
  faults: [
    'topic recreated',
    'topic grown',
    'request lost',
    'answer lost',
    'request held',
    'answer held',
    'throttled',
    'leader moved',
    'broker killed',
    'broker stays broken',
    'broker paused',
    'broker cut off',
    'program paused',
  ],
  async run(world) {
    const oracle = createIncarnationsOracle(world)
    const kafka = createSimulatedKafka(world, {
      onStable(name, partition, batches, topicId) {
        if (name !== topic) return
        for (const { view } of batches)
          for (const { value } of view.records()) oracle.shown(topicId, partition, Buffer.from(value!).toString())
      },
    })
    const options = { world, kafka, oracle }

    /** The operator creates the topic, unless another client was first. */
    async function createTopic(): Promise<void> {
      while (!kafka.topics.current.has(topic)) {
        if (kafka.topics.create(topic, partitions, configs) === 0) world.note('operator', `creates "${topic}"`)
        else await world.wait(100)
      }
    }

    const processes = createProcesses(world)
    let final: string | undefined
    disturb(world, [
      ...kafka.disturbances,
      ...processes.disturbances,
      {
        kind: 'topic recreated',
        async strike() {
          world.note('operator', `deletes "${topic}"`)
          kafka.topics.delete(topic)
          await world.wait(world.random.integer(world.random.pick([1, 100, 5_000])))
          await createTopic()
        },
      },
      {
        kind: 'topic grown',
        strike() {
          if (!kafka.topics.current.has(topic)) return
          world.note('operator', `adds a partition to "${topic}"`)
          kafka.topics.grow(topic, 1)
        },
      },
    ])
    const writer = processes.start('writer', (program) => write(options, program), { mortal: false })
    const isDone = (places: readonly Place[]) =>
      places[0]?.topicId === final && places.every((place) => place.count === oracle.count(final!, place.partition))
    const reader = processes.start('reader', (program) => follow({ ...options, isDone }, program), { mortal: false })
    await writer.ended
    final = kafka.topics.current.get(topic)!.id
    await reader.ended
  },
}

interface Options {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly oracle: IncarnationsOracle
}

/** Writes until the faults have ended, and then once more to the topic that no longer changes. */
async function write({ world, kafka }: Options, program: Program): Promise<void> {
  let count = 0
  for (;;) {
    const last = !world.faulty
    // A grown topic is an error for clients that expect the old number of partitions.
    const size = kafka.topics.current.get(topic)?.partitions.length ?? partitions
    if (last && size !== partitions) kafka.topics.delete(topic)
    const failure = await failureOf(world, program, async () => {
      const queue = await kafka.open(program)
      try {
        await publish(queue, last ? 1 : 5)
      } finally {
        await queue.close()
      }
    })
    if (last && !failure) return
  }

  async function publish(queue: Queue, transactions: number): Promise<void> {
    await queue.createTopics([{ name: topic, partitions }])
    const writer = await queue.openWriter({ id: 'headrace.recreate', claim: `claim ${count}` })
    try {
      for (let left = transactions; left > 0; left--) {
        const transaction = writer.begin()
        const value = Buffer.from(`${count++}`)
        for (let partition = 0; partition < partitions; partition++)
          transaction.send({ topic, partition, key: null, value, time: 1 })
        await transaction.commit()
        await world.wait(world.random.integer(world.random.pick([200, 2_000, 10_000])), program)
      }
    } finally {
      await writer.close()
    }
  }
}

interface Place {
  readonly topicId: string
  readonly partition: number
  count: number
  offset: bigint
}

interface ReaderOptions extends Options {
  isDone(places: readonly Place[]): boolean
}

/** Follows each incarnation of the topic from its start. After a failure it continues. */
async function follow({ world, kafka, oracle, isDone }: ReaderOptions, program: Program): Promise<void> {
  let places: Place[] = []
  while (!isDone(places)) {
    const failure = await failureOf(world, program, async () => {
      const queue = await kafka.open(program)
      const stop = new AbortController()
      const cancel = world.later(world.random.integer(20_000), () => stop.abort(), program)
      try {
        const [found] = await queue.describe([topic])
        if (found && places[0]?.topicId !== found.id) places = beginningOf(found.id!)
        if (found) await read(queue, stop.signal)
      } finally {
        cancel()
        stop.abort()
        await queue.close()
      }
    })
    if (failure instanceof PositionLostError) checkLost(failure)
    await world.wait(100, program)
  }

  async function read(queue: Queue, signal: AbortSignal): Promise<void> {
    const positions = places.map(({ topicId, partition, offset }) => ({ topic, topicId, partition, offset }))
    for await (const batch of queue.follow(positions, { signal })) {
      const place = places[batch.partition]!
      for (const { value } of batch.records()) {
        oracle.readerHas(program.name, place, Buffer.from(value!).toString())
        place.count++
      }
      place.offset = batch.nextOffset
      if (isDone(places)) return
    }
  }

  /** A reader that follows the topic by id may only report that it was replaced. */
  function checkLost({ reason, message }: PositionLostError): void {
    if (reason !== 'recreated') world.fail(`${program.name} has lost its place in a topic that is the same: ${message}`)
    if (kafka.topics.current.get(topic)?.id === places[0]?.topicId)
      world.fail(`${program.name} is told that the topic is another, and it is not: ${message}`)
  }
}

const beginningOf = (topicId: string): Place[] =>
  Array.from({ length: partitions }, (_, partition) => ({ topicId, partition, count: 0, offset: 0n }))

/** The error of `work`, if a fault explains it. */
async function failureOf(world: World, program: Program, work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!expected.some((kind) => error instanceof kind)) throw error
    // A leader waits for the markers of the previous transaction only for a limited time, which slow brokers exceed.
    const waited = (error as Error).message.includes('NOT_ENOUGH_REPLICAS')
    if (world.struck.size === 0 && !waited)
      world.fail(`${program.name} fails for no reason: ${(error as Error).message}`)
    world.note(program.name, `tries again: ${(error as Error).message}`)
    await world.wait(1_000, program)
    return error as Error
  }
}

const expected = [
  CommitUnknownError,
  PositionLostError,
  QueueUnavailableError,
  TopicMismatchError,
  TransactionAbortedError,
  UnknownTopicError,
]
