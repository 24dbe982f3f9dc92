import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { findKafkaJava, type KafkaJava } from '../../testbed/kafka/java/java-source.ts'
import { compressions } from '../src/record-batch/compression.ts'
import { decodeBatches } from '../src/record-batch/decode.ts'
import type { BatchHeader } from '../src/record-batch/encode.ts'
import { BatchEncoder } from '../src/record-batch/encode.ts'
import type { BatchedRecord } from '../src/record-batch/encode-record.ts'
import { batchLayout } from '../src/record-batch/layout.ts'
import type { StoredBatch } from '../src/record-batch/stored-batch.ts'
import { anyRecords } from './arbitrary-records.ts'

const java = await findKafkaJava()
const seed = inject('faultSeed')

describe.skipIf('unavailable' in java)(`record batches compared with Kafka's own classes, seed ${seed}`, () => {
  const { run } = java as KafkaJava
  const { bytes: ours, lines: oursAsWritten } = randomBatches(200)
  let theirs: Uint8Array
  let oursAsRead: string[]
  let theirsAsWritten: string[]

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headrace-batches-'))
    const [oursFile, theirsFile] = [join(folder, 'ours.bin'), join(folder, 'theirs.bin')]
    await writeFile(oursFile, ours)
    // One process for both directions: its start and compilation take longer than its work.
    const printed = await run('RecordBatches.java', [oursFile, theirsFile, `${seed}`, '300'])
    const middle = printed.indexOf('theirs')
    oursAsRead = printed.slice(0, middle)
    theirsAsWritten = printed.slice(middle + 1)
    theirs = await readFile(theirsFile)
    await rm(folder, { recursive: true })
  })

  it('are decoded by them as they were encoded', () => {
    expect(oursAsRead).toEqual(oursAsWritten)
  })

  it('are decoded from their batches: every codec, markers, append time, compacted, with a delete horizon', () => {
    expect([...kindsOf(theirs)].sort()).toEqual(allKinds)
    expect(decodeBatches(theirs, place).flatMap(describeStored)).toEqual(theirsAsWritten)
  })
})

const place = { topic: 'blocks', partition: 0 }

/** Batches of a segment, and the expected output for their records. */
function randomBatches(count: number): { bytes: Uint8Array; lines: string[] } {
  const contents = fc.sample(fc.tuple(anyRecords, header), { seed, numRuns: count })
  const lines: string[] = []
  let baseOffset = 1_000n
  const batches = contents.map(([content, { leap, ...chosen }]) => {
    baseOffset += leap
    const encoder = new BatchEncoder()
    for (const record of content) encoder.append(record)
    const lastOffset = baseOffset + BigInt(content.length) - 1n
    const maxTime = Math.max(...content.map(({ time }) => time))
    lines.push(
      describeBatch({ ...noProducer, ...chosen, baseOffset, lastOffset, count: content.length, maxTime }),
      ...content.map((record, index) => describeRecord({ ...record, offset: baseOffset + BigInt(index) })),
    )
    const bytes = Uint8Array.from(encoder.finish({ ...chosen, baseOffset }))
    baseOffset += BigInt(content.length)
    return bytes
  })
  return { bytes: Buffer.concat(batches), lines }
}

const noProducer = { producerId: -1n, producerEpoch: -1, baseSequence: -1, transactional: false }

const producer = fc.record({
  producerId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  producerEpoch: fc.nat(0x7fff),
  baseSequence: fc.nat(0x7fff_ffff),
  transactional: fc.boolean(),
})

const header: fc.Arbitrary<BatchHeader & { leap: bigint }> = fc
  .tuple(fc.option(producer), fc.constantFrom(...compressions), fc.bigInt({ min: 0n, max: 1_000n }))
  .map(([chosen, compression, leap]) => ({ ...chosen, compression, leap }))

type BatchFields = Pick<
  StoredBatch,
  'baseOffset' | 'lastOffset' | 'count' | 'maxTime' | 'producerId' | 'producerEpoch' | 'baseSequence' | 'transactional'
>

function describeBatch(batch: BatchFields, control = 'no'): string {
  const { baseOffset, lastOffset, count, maxTime, producerId, producerEpoch, baseSequence, transactional } = batch
  const producer = `${producerId}/${producerEpoch}/${baseSequence}`
  const written = `producer=${producer} transactional=${transactional} control=${control}`
  return `batch ${baseOffset}-${lastOffset} count=${count} maxTime=${maxTime} ${written}`
}

function describeStored(batch: StoredBatch): string[] {
  const control = batch.control ? batch.controlType() : 'no'
  return [describeBatch(batch, control), ...Array.from(batch.records(), describeRecord)]
}

function describeRecord({ offset, time, key, value, headers = [] }: BatchedRecord & { offset: bigint }): string {
  const fields = headers.map((one) => ` ${hex(Buffer.from(one.key))}:${hex(one.value)}`).join('')
  return `record ${offset} time=${time} key=${hex(key)} value=${hex(value)}${fields}`
}

function hex(bytes: Uint8Array | null): string {
  return bytes === null ? 'null' : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

const allKinds = [
  'append time',
  'codec 0',
  'codec 1',
  'codec 2',
  'codec 3',
  'codec 4',
  'delete horizon',
  'empty',
  'gaps',
  'marker',
  'transactional',
]

/** The kinds of batches, by the bits of their attributes and their counts. */
function kindsOf(bytes: Uint8Array): Set<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kinds = new Set<string>()
  for (let at = 0; at < bytes.length; at += 12 + view.getInt32(at + batchLayout.length)) {
    const attributes = view.getInt16(at + batchLayout.attributes)
    const count = view.getInt32(at + batchLayout.count)
    kinds.add(`codec ${attributes & 7}`)
    if (attributes & 0x08) kinds.add('append time')
    if (attributes & 0x10) kinds.add('transactional')
    if (attributes & 0x20) kinds.add('marker')
    if (attributes & 0x40) kinds.add('delete horizon')
    if (count === 0) kinds.add('empty')
    else if (count <= view.getInt32(at + batchLayout.lastOffsetDelta)) kinds.add('gaps')
  }
  return kinds
}
