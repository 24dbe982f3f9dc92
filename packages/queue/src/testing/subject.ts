import { afterAll, beforeAll } from 'vitest'
import type { Queue, TopicSpec, Writer, WriterOptions } from '../queue.ts'
import { uniqueName } from './text-records.ts'

/** What an engine hands to the suite. */
export interface QueueHarness {
  /** Opens another `Queue` on the same storage, as another process would. The suite closes it. */
  open(): Promise<Queue>
  /**
   * Whether records of an open transaction lie in the storage already. Then readers of the partition see nothing that
   * comes after them before the transaction has ended, and the engine aborts one that is open for longer than its
   * timeout: what is promised of such transactions is tested only here. Default `false`: an open transaction is in its
   * writer's memory alone.
   */
  readonly storesOpenTransactions?: boolean
}

/** The engine under test. */
export interface Subject {
  readonly storesOpenTransactions: boolean
  /** Two queues on one storage, open throughout. */
  readonly queue: Queue
  readonly other: Queue
  /** A third one, to be closed by its test. */
  open(): Promise<Queue>
  /** Creates a topic that nobody else uses and returns its name. */
  createTopic(spec?: Omit<TopicSpec, 'name'>): Promise<string>
  /** Opens the writer of an id that nobody else uses. */
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
