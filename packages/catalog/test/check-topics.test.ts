import { join } from 'node:path'
import {
  checkTopics,
  compileProtos,
  createSystemTopics,
  registerTopics,
  systemTopics,
  type TopicRegistration,
} from '@headrace/catalog'
import { type Queue, UnknownTopicError } from '@headrace/queue'
import { describe, expect, it } from 'vitest'
import { createFolder } from './support/folder.ts'
import { createQueue } from './support/queue.ts'
import { block } from './support/registration.ts'

const log = { ...block, topic: 'acme.evm.1_0_0.ethereum_Log', message: 'acme.evm.Log' }
const next: TopicRegistration = {
  ...block,
  topic: 'acme.evm.2_0_0.ethereum_Block',
  lineage: 'acme.evm.2_0_0',
  connector: { ...block.connector, version: '2.0.0' },
}

/** A queue with registered topics. Those in `written` have one record. */
async function queueWith(registrations: TopicRegistration[], ...written: string[]): Promise<Queue> {
  const queue = await createQueue()
  await createSystemTopics(queue)
  await queue.createTopics(registrations.map(({ topic }) => ({ name: topic })))
  await registerTopics(queue, registrations)
  await queue.append(written.map((topic) => ({ topic, key: null, value: Buffer.from('x'), time: 0 })))
  return queue
}

/** A queue whose topics another process deletes after they were described. */
function losingTopics(queue: Queue): Queue {
  return {
    ...queue,
    async read(at, limits) {
      if (at.topic !== systemTopics.registry) throw new UnknownTopicError(at.topic)
      return queue.read(at, limits)
    },
  }
}

const check = (queue: Queue, wanted: TopicRegistration[]) => checkTopics(queue, wanted, { newTopics: false })

describe('a message that would continue in another topic of the same instance', () => {
  const moved = { ...block, topic: 'acme.evm.1_0_0.base_Block' }

  it('is refused if the topic has records', async () => {
    const queue = await queueWith([block], block.topic)
    await expect(check(queue, [moved])).rejects.toMatchObject({
      code: 'registration_refused',
      message: expect.stringContaining(`to "${block.topic}", and would now continue in "${moved.topic}"`),
    })
    await check(queue, [block, log])
  })

  it('is refused if the records were removed', async () => {
    const queue = await queueWith([block], block.topic)
    await queue.deleteBefore(block.topic, 0, 1n)
    await expect(check(queue, [moved])).rejects.toMatchObject({ code: 'registration_refused' })
  })

  it('is accepted if the topic never had a record', async () => {
    await check(await queueWith([block, log], log.topic), [moved])
  })

  it.each([
    ['another instance', { ...moved, instance: 'base' }],
    ['another lineage', { ...moved, topic: 'acme.evm.1_0_1.base_Block', lineage: 'acme.evm.1_0_1' }],
    ['another message', { ...moved, message: 'acme.evm.Header' }],
  ])('is accepted for %s', async (_, wanted) => {
    await checkTopics(await queueWith([block], block.topic), [wanted], { newTopics: true })
  })

  it('is accepted if the topic is deleted at the same time', async () => {
    await check(losingTopics(await queueWith([block], block.topic)), [moved])
  })
})

describe('a project without an id and with published names', () => {
  const schemaOf = async (message: string): Promise<Uint8Array> => {
    const root = await createFolder({
      'a.proto': `syntax = "proto3";\npackage acme.evm;\nmessage ${message} { string a = 1; }\n`,
    })
    return (await compileProtos([join(root, 'a.proto')], { root })).schema!.descriptors
  }
  const before = async () => ({ ...block, descriptors: await schemaOf('Block') })
  const unrelated = async () => ({ ...log, descriptors: await schemaOf('Log') })

  it('is refused if it defines none of the published messages', async () => {
    const queue = await queueWith([await before()], block.topic)
    await expect(check(queue, [await unrelated()])).rejects.toMatchObject({
      code: 'registration_refused',
      message: expect.stringContaining('defines none of the messages that it has published'),
    })
    await expect(check(queue, [{ ...(await unrelated()), projectId: 'mine' }])).rejects.toMatchObject({
      code: 'registration_refused',
    })
  })

  it('is accepted if no records exist, if it is another instance, and if new topics are allowed', async () => {
    await check(await queueWith([await before()]), [await unrelated()])
    const queue = await queueWith([await before()], block.topic)
    await check(queue, [{ ...(await unrelated()), instance: 'base' }])
    await checkTopics(queue, [{ ...next, message: log.message, descriptors: await schemaOf('Log') }], {
      newTopics: true,
    })
  })

  it('is accepted if it defines one of the published messages, even without publishing it', async () => {
    const queue = await queueWith([await before()], block.topic)
    await check(queue, [{ ...log, descriptors: await schemaOf('Log { string a = 1; }\nmessage Block') }])
  })

  it('is accepted with the id of the project that published', async () => {
    const queue = await queueWith([{ ...(await before()), projectId: 'mine' }], block.topic)
    await check(queue, [{ ...(await unrelated()), projectId: 'mine' }])
  })
})

it('an older lineage whose topics are deleted at the same time is ignored', async () => {
  const queue = await queueWith([block], block.topic)
  await expect(check(queue, [next])).rejects.toMatchObject({ code: 'registration_refused' })
  await check(losingTopics(queue), [next])
})
