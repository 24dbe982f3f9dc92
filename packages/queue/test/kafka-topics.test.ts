import { type Admin, Kafka, logLevel } from 'kafkajs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Queue } from '../src/index.ts'
import { kafka, uniqueName } from './kafka-fixture.ts'

const describeSettings = '../src/kafka/admin/describe-settings.ts'

// Other test files share the modules of this process.
afterAll(() => void vi.resetModules())

describe.skipIf(kafka === null)('describing topics while one is deleted', () => {
  let admin: Admin
  let queue: Queue
  let kept: string
  let deleted: string

  beforeAll(async () => {
    admin = new Kafka({ brokers: [kafka!], logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
  })
  afterAll(() => admin?.disconnect())

  beforeEach(async () => {
    // Settings are fetched after the topics and before their offsets.
    vi.doMock(describeSettings, async (importOriginal) => {
      const original = await importOriginal<typeof import('../src/kafka/admin/describe-settings.ts')>()
      return {
        ...original,
        async describeTopicSettings(...args: Parameters<typeof original.describeTopicSettings>) {
          if (args[1].some(({ name }) => name === deleted)) await remove(deleted)
          return original.describeTopicSettings(...args)
        },
      }
    })
    vi.resetModules()
    const { openKafka } = await import('./kafka-fixture.ts')
    queue = await openKafka()
    kept = uniqueName('kept')
    const made = uniqueName('deleted')
    await queue.createTopics([{ name: kept, partitions: 2 }, { name: made }])
    deleted = made
  })
  afterEach(async () => {
    await queue?.close()
    vi.doUnmock(describeSettings)
  })

  async function remove(topic: string): Promise<void> {
    if (!(await admin.listTopics()).includes(topic)) return
    await admin.deleteTopics({ topics: [topic] })
    await vi.waitFor(async () => expect(await admin.listTopics()).not.toContain(topic), 30_000)
  }

  it('returns all other topics', async () => {
    const names = (await queue.describe()).map(({ name }) => name)
    expect(names).toContain(kept)
    expect(names).not.toContain(deleted)
  })

  it('omits the deleted topic like an unknown one, even if it is named', async () => {
    const described = await queue.describe([kept, deleted])
    expect(described.map(({ name, partitions }) => [name, partitions])).toEqual([
      [kept, [0, 1].map(() => ({ earliest: 0n, end: 0n }))],
    ])
  })
})

describe.skipIf(kafka === null)('creating a topic', () => {
  it('requests its settings once', async () => {
    const asked: string[] = []
    vi.doMock('../src/kafka/connection/requests.ts', async (importOriginal) => {
      const original = await importOriginal<typeof import('../src/kafka/connection/requests.ts')>()
      const ask = original.describeConfigsV4.api
      const api = (...args: Parameters<typeof ask>) => {
        asked.push(...args[1].map(({ resourceName }) => resourceName))
        return ask(...args)
      }
      return { ...original, describeConfigsV4: { api } }
    })
    vi.resetModules()
    const { openKafka } = await import('./kafka-fixture.ts')
    const queue = await openKafka()
    const topic = uniqueName('asked')
    await queue.createTopics([{ name: topic }])
    await queue.close()
    vi.doUnmock('../src/kafka/connection/requests.ts')
    expect(asked.filter((name) => name === topic)).toEqual([topic])
  })
})
