import { traceparentKey } from '@headrace/catalog'
import { readBlocks } from '@headrace/evm'
import type { Queue, QueueRecord } from '@headrace/queue'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { blockSettings } from '../../../evm/test/block-settings.ts'
import { createRecordingSource } from '../../../evm/test/recording-source.ts'
import { largestRecordBytes } from '../../../queue/src/embedded/storage/batch-rows.ts'
import { encodedRecordSize } from '../../../queue/src/record-batch/encode.ts'
import { chainConnector, genesisSeconds } from '../../../sdk/test/chain/connector.ts'
import { openFixed } from '../../../sdk/test/chain/open.ts'
import { totalsConnector } from '../../../sdk/test/queue-source/totals/connector.ts'
import { startFakeNode } from '../../../testbed/chain/fake-node.ts'
import { readRecording } from '../../../testbed/recorded-chain/recording.ts'
import { createReplayedChain } from '../../../testbed/recorded-chain/replayed-chain.ts'
import { type RecordedSpans, recordSpans } from './recorded-spans.ts'

let spans: RecordedSpans
beforeAll(() => {
  spans = recordSpans()
})
afterAll(() => spans[Symbol.dispose]())

const folder = (name: string): URL => new URL(`../../../sdk/test/${name}/`, import.meta.url)

async function openChain(end: number) {
  const project = await openFixed(folder('chain'), { settings: { end } })
  onTestFinished(() => project.close())
  return project
}

async function newest(queue: Queue, topic: string): Promise<QueueRecord> {
  const records: QueueRecord[] = []
  const { batches } = await queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 << 28 })
  for (const batch of batches) records.push(...batch.records())
  return records.at(-1)!
}

const hasTrace = ({ headers }: QueueRecord): boolean => headers.some(({ key }) => key === traceparentKey)

test('a record that is too large only with its trace is published without it', async () => {
  const project = await openChain(10)
  const topic = 'acme.chain.1_0_0.test_Block'
  let hashLength = 1_000_000
  const connector = chainConnector((unit) => {
    const Hash = 'x'.repeat(hashLength)
    return { ...unit, messages: { Block: [{ seconds: BigInt(genesisSeconds), Hash, Number: 1n }] } }
  })
  await project.run(connector, { stopAfter: 1 })
  const small = await newest(project.queue, topic)
  expect(hasTrace(small)).toBe(true)
  // The hash is in the key and in the value.
  hashLength += Math.floor((largestRecordBytes - encodedRecordSize(small)) / 2)
  await project.run(connector, { stopAfter: 1 })
  const large = await newest(project.queue, topic)
  expect(large.value!.length).toBeGreaterThan(hashLength)
  expect(hasTrace(large)).toBe(false)
})

test('a connector that reads topics continues the traces of their units', async () => {
  const input = await openChain(3)
  await input.run(chainConnector())
  const totals = await input.openOther(folder('queue-source/totals'))
  await totals.run(totalsConnector())
  const published = spans.named('headrace.publish')
  const own = published.filter(({ attributes }) => String(attributes['headrace.writer']).startsWith('acme.totals'))
  expect(own).toHaveLength(4)
  for (const { parentSpanContext, attributes } of own) {
    const parent = published.find((span) => span.spanContext().spanId === parentSpanContext?.spanId)!
    expect(parent.attributes).toMatchObject({ 'headrace.unit': attributes['headrace.unit'] })
    expect(String(parent.attributes['headrace.writer'])).toMatch(/^acme\.chain/)
  }
})

test('a block has the trace of its own requests', async () => {
  const node = await startFakeNode({ chain: createReplayedChain({ recorded: await readRecording(), head: 200 }) })
  onTestFinished(() => node.close())
  const source = createRecordingSource()
  const steps = await source.take(readBlocks(blockSettings(node.rpc, { end: 20 }), source))
  expect(steps).toHaveLength(21)
  for (const { checkpoint, traceparent } of steps) {
    const [, traceId, spanId] = traceparent!.split('-')
    const fetch = spans.named('headrace.fetch').find((span) => span.spanContext().spanId === spanId)!
    expect(fetch.attributes).toEqual({ 'headrace.evm.block': checkpoint.number })
    const children = spans.all().filter(({ parentSpanContext }) => parentSpanContext?.spanId === spanId)
    expect(children.map((span) => [span.name, span.spanContext().traceId])).toEqual([['headrace.check', traceId]])
  }
})
