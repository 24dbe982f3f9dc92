import { encodeSchemaId, headerKeys } from '@headrace/catalog'
import type { NewRecord, QueueRecord } from '@headrace/queue'
import type { TestProject } from '@headrace/sdk/testing'
import { describe, expect, inject, test } from 'vitest'
import { alteringQueue } from './altering-queue.ts'
import { newChain, openChain } from './chain/open.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'
import { verifyProject } from './verify-project.ts'

const kafka = inject('kafka')
const blockTopic = ({ instance }: TestProject) => instance.topics.find(({ message }) => message.endsWith('Block'))!.name

async function blocksOf(project: TestProject): Promise<QueueRecord[]> {
  const topic = blockTopic(project)
  const end = await project.queue.highWatermark(topic, 0)
  const records: QueueRecord[] = []
  for (let offset = 0n; offset < end; ) {
    const { batches, next } = await project.queue.read({ topic, partition: 0, offset }, { maxBytes: 1 << 20 })
    records.push(...batches.flatMap((batch) => [...batch.records()]))
    offset = next
  }
  return records
}

const headersOf = (records: readonly QueueRecord[]) =>
  records.map(({ headers }) => {
    const header = headers.find(({ key }) => key === headerKeys.schema)
    return header && Buffer.from(header.value).toString('hex')
  })

const withoutSchema = (record: NewRecord): NewRecord => ({
  ...record,
  headers: record.headers?.filter(({ key }) => key !== headerKeys.schema) ?? [],
})

test('a record in an embedded queue does not name its schema', async () => {
  await using project = await openChain()
  await project.run(scriptConnector(parseScript('a0 a1 a0<b1')))
  expect(headersOf(await blocksOf(project))).toEqual([undefined, undefined, undefined, undefined])
})

describe.skipIf(kafka === null)('on Kafka', () => {
  const open = () => openChain({ settings: { chain: newChain() }, queue: `kafka://${kafka}` })

  test('each record names its schema, and a revert that of the record that it reverts', async () => {
    await using project = await open()
    // A run of an older version.
    await project.run(scriptConnector(parseScript('a0 a1')), { queue: alteringQueue(project.queue, withoutSchema) })
    const script = parseScript('a0 a1 a2 a0<b1')
    await project.run(scriptConnector(script))
    const named = Buffer.from(encodeSchemaId(project.project.schema.message('acme.chain.Block')!)).toString('hex')
    // a0, a1, a2, the reverts of a2 and a1, b1
    expect(headersOf(await blocksOf(project))).toEqual([undefined, undefined, named, named, undefined, named])
    expect((await verifyProject(project, scriptConnector(script))).findings).toEqual([])
  })

  test.each([
    ['a GUID that no schema of the topic has', Buffer.from(`01${'ab'.repeat(16)}00`, 'hex')],
    ['another magic byte', Buffer.from('0700000001', 'hex')],
    ['nothing', Buffer.alloc(0)],
  ])('a record that names %s is found by verify, and is read', async (_, value) => {
    await using project = await open()
    const alter = (record: NewRecord) => ({
      ...record,
      headers: record.headers?.map((one) => (one.key === headerKeys.schema ? { ...one, value } : one)) ?? [],
    })
    const script = parseScript('a0')
    await project.run(scriptConnector(script), { queue: alteringQueue(project.queue, alter) })
    const { findings } = await verifyProject(project, scriptConnector(script))
    // Of the block, and of its transaction.
    const wrong = { code: 'schema_wrong', seq: 0, found: value.toString('hex') }
    expect(findings).toMatchObject([wrong, wrong])
    expect(await project.records('Block')).toMatchObject([{ seq: 0, value: { Hash: expect.any(String) } }])
  })
})
