import { afterAll, beforeAll } from 'vitest'
import type { Queue, TopicSpec, Writer, WriterOptions } from '../../src/queue.ts'
import { uniqueName } from './text-records.ts'

/** The engine under test. */
export interface QueueHarness {
  /** Opens another `Queue` on the same storage, as another process would. The suite closes it. */
  open(): Promise<Queue>
  /**
   * Whether records of an open transaction are in the storage. Then readers see no record after them until the
   * transaction ends, and the engine aborts it after its timeout. Default `false`: an open transaction exists only in the
   * writer's memory.
   */
  readonly storesOpenTransactions?: boolean
  /** Size of the buffer of a writer, in bytes. */
  readonly bufferBytes: number
}

export interface Subject {
  readonly storesOpenTransactions: boolean
  readonly bufferBytes: number
  /** Two queues on one storage, open during all tests. */
  readonly queue: Queue
  readonly other: Queue
  /** Opens a third one, which the test closes. */
  open(): Promise<Queue>
  /** Creates a topic with a unique name and returns the name. */
  createTopic(spec?: Omit<TopicSpec, 'name'>): Promise<string>
  /** Opens a writer with a unique id. */
  openWriter(options?: Partial<WriterOptions>): Promise<Writer>
}

export function createSubject(harness: QueueHarness): Subject {
  const opened: Queue[] = []

  beforeAll(async () => {
    opened.push(await harness.open(), await harness.open())
  })
  afterAll(async () => {
    for (const queue of opened) await queue.close()
  })

  function at(index: number): Queue {
    const queue = opened[index]
    if (queue === undefined) throw new Error('The queue is open only while tests run.')
    return queue
  }

  return {
    storesOpenTransactions: harness.storesOpenTransactions ?? false,
    bufferBytes: harness.bufferBytes,
    get queue() {
      return at(0)
    },
    get other() {
      return at(1)
    },
    async open() {
      const queue = await harness.open()
      opened.push(queue)
      return queue
    },
    async createTopic(spec = {}) {
      const name = uniqueName()
      await at(0).createTopics([{ name, ...spec }])
      return name
    },
    openWriter: (options) => at(0).openWriter({ id: uniqueName(), claim: uniqueName(), ...options }),
  }
}
