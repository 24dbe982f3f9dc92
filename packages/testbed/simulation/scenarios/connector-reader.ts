import { createReorganisations, type Reorganisations } from '../../../catalog/src/index.ts'
import { type Queue, RetryableError } from '../../../queue/src/index.ts'
import type { SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { LogOracle } from '../oracle/log-oracle.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { LoadedProject } from './connector-project.ts'

export interface ReaderOptions {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly project: LoadedProject
  readonly oracle: LogOracle
  /** Called after each record. */
  onRead(): void
}

/** Follows the topics of a connector until it is killed, and computes the canonical view as a gateway does. */
export async function follow(options: ReaderOptions, program: Program): Promise<void> {
  const { world, kafka, project, oracle, onRead } = options
  const places = project.topics.flatMap(({ name, partitions }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition, offset: 0n, count: 0 })),
  )
  while (!project.topics.every(({ name }) => kafka.topics.current.has(name))) await world.wait(500, program)
  for (;;) {
    const stop = new AbortController()
    let queue: Queue | undefined
    try {
      queue = await kafka.open(program)
      const described = await queue.describe(project.topics.map(({ name }) => name))
      if (described.length < project.topics.length) {
        await world.wait(500, program)
        continue
      }
      const view = createReorganisations(queue, { writerId: project.writerId })
      for await (const batch of queue.follow(places, { signal: stop.signal })) {
        const place = places.find(({ topic, partition }) => topic === batch.topic && partition === batch.partition)!
        let unitBegins = place.count
        let unit = -1
        for (const record of batch.records()) {
          const read = oracle.readerHas(program.name, record)
          if (read !== unit) unitBegins = place.count
          unit = read
          place.count++
        }
        place.offset = batch.nextOffset
        onRead()
        if (world.random.integer(6) === 0) await checkCanonical(options, view, { ...place, end: unitBegins })
      }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      world.note(program.name, `tries again: ${error.message}`)
      await world.wait(1_000, program)
    } finally {
      stop.abort()
      await queue?.close()
    }
  }
}

/** Compares the canonical records before an offset with those that follow from the reverts. */
async function checkCanonical(
  { world, oracle }: ReaderOptions,
  view: Reorganisations,
  { topic, partition, end }: { readonly topic: string; readonly partition: number; readonly end: number },
): Promise<void> {
  await view.catchUp()
  const dead = view.of(topic, partition)
  const canonical = Array.from({ length: end }, (_, seq) => seq).filter((seq) => !dead.around(seq, end))
  const expected = oracle.canonicalSeqs(topic, partition, end)
  if (canonical.join() !== expected.join())
    world.fail(`a reader sees ${canonical} of ${topic}/${partition} before ${end}, and ${expected} are canonical`)
}
