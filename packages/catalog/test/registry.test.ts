import { join } from 'node:path'
import {
  checkpointKey,
  checkpointPartition,
  commentOf,
  compileProtos,
  createSystemTopics,
  encodeCheckpoint,
  followRegistry,
  readCheckpoint,
  readRegistry,
  registerTopics,
  schemaFromDescriptors,
  systemTopics,
  type TopicRegistration,
} from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { describe, expect, it } from 'vitest'
import { createFolder } from './support/folder.ts'
import { createQueue } from './support/queue.ts'
import { block } from './support/registration.ts'

describe('createSystemTopics', () => {
  it('creates system topics once', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    await createSystemTopics(queue)
    const topics = await queue.describe()
    expect(topics.map(({ name }) => name).sort()).toEqual(Object.values(systemTopics).sort())
    const compacted = topics.filter(({ cleanup }) => cleanup === 'compact')
    expect(compacted.map(({ name }) => name)).not.toContain(systemTopics.deadLetters)
    const checkpoints = topics.find(({ name }) => name === systemTopics.checkpoints)
    expect(checkpoints?.partitions).toHaveLength(32)
  })
})

describe('the registry', () => {
  it('is empty if its topic does not exist', async () => {
    expect(await readRegistry(await createQueue())).toEqual(new Map())
  })

  it('has the newest registration of each topic, and does not write unchanged ones', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const end = async () => (await queue.describe([systemTopics.registry]))[0]!.partitions[0]!.end
    await registerTopics(queue, [block])
    const before = await end()
    await registerTopics(queue, [{ ...block }])
    expect(await end()).toBe(before)
    const newer = { ...block, connector: { ...block.connector, version: '1.1.0' } }
    await registerTopics(queue, [newer])
    expect(await readRegistry(queue)).toEqual(new Map([[block.topic, newer]]))
  })

  it('contains the earlier key and time of a topic, and the last unit that used them', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const { schema } = await compileProtos([join(import.meta.dirname, 'protos/wide.proto')], {
      root: join(import.meta.dirname, 'protos'),
    })
    const message = 'headrace.test.wide.Wide'
    const { key: _, time: __, ...plain } = { ...block, message, descriptors: schema!.descriptors }
    const earlier = async () => (await readRegistry(queue)).get(block.topic)!.earlier
    const fields = expect.objectContaining({ [message]: expect.arrayContaining([1]) })
    await registerTopics(queue, [plain], { lastUnit: 0 })
    expect(await earlier()).toBeUndefined()
    // The unit 0: nothing was published in the earlier form.
    await registerTopics(queue, [{ ...plain, time: 'a_time' }], { lastUnit: 0 })
    expect(await earlier()).toBeUndefined()
    // Without a run, the last unit of the earlier form is not determined: records of it may follow.
    const keyed = { ...plain, time: 'a_time', key: 'a_string' }
    await registerTopics(queue, [keyed])
    expect(await earlier()).toEqual([{ time: 'a_time', fields }])
    await registerTopics(queue, [keyed], { lastUnit: 17 })
    expect(await earlier()).toEqual([{ lastUnit: 17, time: 'a_time', fields }])
    await registerTopics(queue, [{ ...keyed, connector: { ...block.connector, version: '1.1.0' } }], { lastUnit: 20 })
    expect(await earlier()).toEqual([{ lastUnit: 17, time: 'a_time', fields }])
  })

  it('has changed comments after the next registration, and nothing else changes', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const register = async (field: string) => {
      const root = await createFolder({
        'a.proto': `syntax = "proto3";\npackage acme.evm;\nmessage Block {\n${field}\n}`,
      })
      const { descriptors } = (await compileProtos([join(root, 'a.proto')], { root })).schema!
      await registerTopics(queue, [{ ...block, descriptors }], { lastUnit: 7 })
      const { earlier, ...registered } = (await readRegistry(queue)).get(block.topic)!
      const [hash] = schemaFromDescriptors(registered.descriptors).message(block.message)!.fields
      return { earlier: earlier?.length, comment: commentOf(hash!) }
    }
    expect(await register('string Hash = 1;')).toEqual({})
    expect(await register('string Hash = 1; // Of the header.')).toEqual({ comment: 'Of the header.' })
    expect(await register('string Hash = 1; // Lower-case hex.')).toEqual({ comment: 'Lower-case hex.' })
    expect(await register('string Hash = 1;')).toEqual({})
    expect(await register('string Hash = 1; uint64 Size = 2;')).toEqual({ earlier: 1 })
  })

  it('names the successor in the topics of an older lineage', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const next = {
      ...block,
      topic: 'acme.evm.2_0_0.ethereum_Block',
      lineage: 'acme.evm.2_0_0',
      connector: { ...block.connector, version: '2.0.0' },
    }
    await registerTopics(queue, [block, { ...block, topic: 'acme.evm.1_0_0.base_Block', instance: 'base' }])
    await registerTopics(queue, [next])
    const registry = await readRegistry(queue)
    expect(registry.get(block.topic)?.successor).toBe(next.topic)
    expect(registry.get('acme.evm.1_0_0.base_Block')?.successor).toBeUndefined()
    expect(registry.get(next.topic)?.successor).toBeUndefined()
  })

  describe('with concurrent registrations', () => {
    const other = { ...block, instance: 'base' }
    const log = { ...block, topic: 'acme.evm.1_0_0.ethereum_Log' }
    const refusal = (part: string) =>
      expect.objectContaining({ code: 'registration_refused', message: expect.stringContaining(part) })

    /** A queue in which another registration is written between the check of the first one and its write. */
    const overtakenBy = (queue: Queue, registration: TopicRegistration): Queue => {
      let overtaking: Promise<void> | undefined
      return {
        ...queue,
        async append(records) {
          overtaking ??= registerTopics(queue, [registration])
          await overtaking
          await queue.append(records)
        },
      }
    }

    it('assigns a topic to the first instance, and restores its registration', async () => {
      const queue = await createQueue()
      await createSystemTopics(queue)
      const racing = overtakenBy(queue, other)
      await expect(registerTopics(racing, [log, block])).rejects.toThrow(refusal('belongs to the instance "base"'))
      expect((await readRegistry(queue)).get(block.topic)).toEqual(other)
      await expect(registerTopics(queue, [block])).rejects.toThrow(refusal('Start it as "base"'))
      await registerTopics(queue, [other])
    })

    it('refuses the older version, and restores the newer one', async () => {
      const queue = await createQueue()
      await createSystemTopics(queue)
      const newer = { ...block, connector: { ...block.connector, version: '1.1.0' } }
      const racing = overtakenBy(queue, newer)
      await expect(registerTopics(racing, [block])).rejects.toThrow(refusal('this is the older version 1.0.0'))
      expect(await readRegistry(queue)).toEqual(new Map([[block.topic, newer]]))
    })

    it('assigns the names to the first project, and refuses the other one afterwards', async () => {
      const queue = await createQueue()
      await createSystemTopics(queue)
      const first = { ...block, projectId: 'first' }
      const second = { ...log, projectId: 'second' }
      await expect(registerTopics(overtakenBy(queue, first), [second])).rejects.toThrow(refusal('the id "first"'))
      await expect(registerTopics(queue, [second])).rejects.toThrow(refusal('the id "first"'))
      await registerTopics(queue, [first])
    })

    it('assigns to each the topics that the other one does not register', async () => {
      const queue = await createQueue()
      await createSystemTopics(queue)
      await registerTopics(overtakenBy(queue, { ...log, instance: 'base' }), [block])
      expect([...(await readRegistry(queue)).keys()]).toEqual([log.topic, block.topic])
    })

    it('assigns each topic to exactly one instance', async () => {
      const queue = await createQueue()
      await createSystemTopics(queue)
      for (let round = 0; round < 20; round++) {
        const topic = `acme.evm.1_0_0.round${round}_Block`
        const instances = ['a', 'b', 'c']
        const outcomes = await Promise.allSettled(
          instances.map((instance) => registerTopics(queue, [{ ...block, topic, instance }])),
        )
        const winners = instances.filter((_, index) => outcomes[index]!.status === 'fulfilled')
        expect(winners).toEqual([(await readRegistry(queue)).get(topic)?.instance])
      }
    })
  })

  it('is followed as a map: first the existing registrations, then new ones', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    await registerTopics(queue, [block])
    const ending = new AbortController()
    const { registrations } = await followRegistry(queue, { signal: ending.signal, log: silent })
    expect([...registrations.keys()]).toEqual([block.topic])
    const later = 'acme.evm.1_0_0.ethereum_Log'
    await registerTopics(queue, [{ ...block, topic: later }])
    await expect.poll(() => registrations.get(later)?.topic).toBe(later)
    ending.abort()
  })

  it('is read without the kinds of records that a newer version has added', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const added = { topic: systemTopics.registry, key: Buffer.from('added/x'), value: Buffer.from('{"a":1}'), time: 0 }
    await queue.append([added])
    await registerTopics(queue, [block])
    expect([...(await readRegistry(queue)).keys()]).toEqual([block.topic])
    const ending = new AbortController()
    const { registrations } = await followRegistry(queue, { signal: ending.signal, log: silent })
    expect([...registrations.keys()]).toEqual([block.topic])
    ending.abort()
  })

  it('reports a record that cannot be read', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    await queue.append([{ topic: systemTopics.registry, key: Buffer.from('x'), value: Buffer.from('?'), time: 0 }])
    await expect(readRegistry(queue)).rejects.toMatchObject({ code: 'invalid_registration' })
  })

  it('keeps the registration of a topic whose newest record cannot be read, and logs it', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    await registerTopics(queue, [block])
    const ending = new AbortController()
    const errors: unknown[] = []
    const log = { ...silent, error: (...args: unknown[]) => void errors.push(args) }
    const { registrations } = await followRegistry(queue, { signal: ending.signal, log })
    const key = Buffer.from(block.topic)
    await queue.append([{ topic: systemTopics.registry, key, value: Buffer.from('?'), time: 0 }])
    await expect.poll(() => errors).toHaveLength(1)
    expect(registrations.get(block.topic)?.topic).toBe(block.topic)
    ending.abort()
  })
})

const silent = { debug() {}, info() {}, warn() {}, error() {} }

describe('readCheckpoint', () => {
  it('returns the newest committed checkpoint of a writer', async () => {
    const queue = await createQueue()
    await createSystemTopics(queue)
    const writerId = 'acme.evm.1_0_0/ethereum'
    expect(await readCheckpoint(queue, writerId)).toBeUndefined()
    const writer = await queue.openWriter({ id: writerId, claim: 'one' })
    const write = (unit: number) => {
      const transaction = writer.begin()
      transaction.send({
        topic: systemTopics.checkpoints,
        partition: checkpointPartition(writerId),
        key: checkpointKey(writerId),
        value: encodeCheckpoint({ position: { unit }, unit, previous: unit - 1, nextSeq: {}, final: null, time: {} }),
        time: 0,
      })
      return transaction
    }
    await write(1).commit()
    await write(2).commit()
    await write(3).abort()
    expect(await readCheckpoint(queue, writerId)).toMatchObject({ position: { unit: 2 }, unit: 2 })
    expect(await readCheckpoint(queue, 'acme.evm.1_0_0/base')).toBeUndefined()
    await writer.close()
  })
})
