/** Transactions rendered a second, ours beside protobuf-es, and checked: `node --conditions=@headrace/source …/record-renderer.bench.ts`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf'
import { encodeAt } from '../record-header/record-header.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { createMessageCheck } from './message-check.ts'
import { createRecordRenderer } from './record-renderer.ts'

const rounds = 20
const proto = `
syntax = "proto3";
package bench;
import "google/protobuf/timestamp.proto";
message Transaction {
  google.protobuf.Timestamp ts = 1;
  bytes From = 2;
  string Hash = 3;
  double Size = 4;
  uint64 AccountNonce = 5;
  uint64 Price = 6;
  uint64 GasLimit = 7;
  bytes Recipient = 8;
  uint64 Amount = 9;
  bytes Payload = 10;
  uint64 V = 11;
  uint64 R = 12;
  uint64 S = 13;
}`
const schema = await compileTransaction()
const message = schema.message('bench.Transaction')!
const values = Array.from({ length: 1000 }, (_, index) => toBinary(message, transaction(index)))
const renderer = createRecordRenderer({
  topic: 'bench.bench.1_0_0.bench_Transaction',
  lineage: 'bench.bench.1_0_0',
  instance: 'main',
  connector: { owner: 'bench', package: 'bench', version: '1.0.0' },
  message: 'bench.Transaction',
  descriptors: schema.descriptors,
  bytes: 'hex',
  partitions: 1,
})
const record = {
  topic: 'bench.bench.1_0_0.bench_Transaction',
  partition: 0,
  offset: 41_467n,
  time: 1_780_000_000_000,
  key: null,
  headers: [{ key: 'at', value: encodeAt(20_731, 20_734) }],
}

const check = createMessageCheck(schema, 'bench.Transaction')
const contestants = {
  'the check alone': (value: Uint8Array) => {
    check(value)
    return value.length
  },
  ours: (value: Uint8Array) => renderer.render({ ...record, value }).length,
  'protobuf-es': (value: Uint8Array) =>
    Buffer.from(
      JSON.stringify({
        topic: record.topic,
        partition: record.partition,
        seq: '20734',
        unit: '20731',
        offset: String(record.offset),
        time: new Date(record.time),
        key: record.key,
        op: 'append',
        value: toJson(message, fromBinary(message, value), { alwaysEmitImplicit: true, useProtoFieldName: true }),
      }),
    ).length,
}
const best: Record<string, number> = {}
for (let round = 0; round < rounds; round++)
  for (const [name, render] of Object.entries(contestants)) best[name] = Math.max(best[name] ?? 0, measure(render))
for (const [name, rate] of Object.entries(best)) console.log(`${name}: ${Math.round(rate / 1000)} k/s`)
console.log(`ours ÷ protobuf-es: ${(best.ours! / best['protobuf-es']!).toFixed(2)}`)

function measure(render: (value: Uint8Array) => number): number {
  const start = cpuSeconds()
  let bytes = 0
  let count = 0
  for (; cpuSeconds() - start < 0.1; count += values.length) for (const value of values) bytes += render(value)
  if (bytes === 0) throw new Error('Nothing was rendered.')
  return count / (cpuSeconds() - start)
}

/** Time of this thread alone: other work on the machine does not count. */
function cpuSeconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e6
}

function transaction(index: number) {
  return create(message, {
    ts: { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(1_780_000_000 + index), nanos: 0 },
    From: new Uint8Array(20).fill(index),
    Hash: `0x${index.toString(16).padStart(64, 'a')}`,
    Size: 110 + (index % 50),
    AccountNonce: BigInt(index),
    Price: 20_000_000_000n + BigInt(index),
    GasLimit: 21_000n,
    Recipient: new Uint8Array(20).fill(index + 1),
    Amount: 1_234_567_890_123_456_789n + BigInt(index),
    Payload: new Uint8Array(index % 2 === 0 ? 0 : 68).fill(0xa9),
    V: 37n,
    R: 18_446_744_073_709_551_615n,
    S: 18_446_744_073_709_551_615n,
  } as never)
}

async function compileTransaction(): Promise<SchemaSet> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  try {
    await writeFile(join(dir, 'bench.proto'), proto)
    const { schema } = await compileProtos([join(dir, 'bench.proto')])
    return schema!
  } finally {
    await rm(dir, { recursive: true })
  }
}
