import { type DescMessage, fromBinary, toJson } from '@bufbuild/protobuf'
import { createRecordRenderer, encodeAt, type TopicRegistration } from '@headrace/catalog'
import type { Bench, BenchContext, OpenSuite, Suite } from '../bench.ts'
import { compileProto } from '../compile-proto.ts'
import { nestedOrders, proto, transactions } from './messages.ts'

/** Protobuf to record JSON, against protobuf-es. */
export const renderSuite: Suite = { name: 'render', open }

const topic = 'bench.bench.1_0_0.bench_Message'
const record = {
  topic,
  partition: 0,
  offset: 41_467n,
  time: 1_780_000_000_000,
  key: null,
  headers: [{ key: 'at', value: encodeAt(20_731, 20_734) }],
}

async function open({ quick }: BenchContext): Promise<OpenSuite> {
  const schema = await compileProto(proto)
  const transaction = schema.message('bench.Transaction')!
  const order = schema.message('bench.Order')!
  return {
    benches: [
      rendering('render, flat messages', transaction, transactions(transaction)),
      rendering('render, nested messages, lists and maps', order, nestedOrders(order)),
    ],
    close: async () => undefined,
  }

  function rendering(name: string, message: DescMessage, values: readonly Uint8Array[]): Bench {
    const renderer = createRecordRenderer(registration(message))
    const options = { alwaysEmitImplicit: true, useProtoFieldName: true, registry: schema.registry }
    const cpuSeconds = quick ? 0.1 : 0.5
    return {
      name,
      unit: 'records/s',
      better: 'higher',
      contestants: {
        ours: async () => rate(values, cpuSeconds, (value) => renderer.render({ ...record, value }).length),
        'protobuf-es': async () =>
          rate(values, cpuSeconds, (value) =>
            Buffer.byteLength(withMembers(toJson(message, fromBinary(message, value), options))),
          ),
      },
      targets: { 'protobuf-es': 3 },
    }
  }

  function registration(message: DescMessage): TopicRegistration {
    return {
      topic,
      lineage: 'bench.bench.1_0_0',
      instance: 'main',
      connector: { owner: 'bench', package: 'bench', version: '1.0.0' },
      message: message.typeName,
      descriptors: schema.descriptors,
      bytes: 'base64',
      partitions: 1,
    }
  }
}

/** A record as JSON, with its value. */
function withMembers(value: unknown): string {
  const time = new Date(record.time)
  const { partition, key } = record
  return JSON.stringify({
    topic,
    partition,
    seq: '20734',
    unit: '20731',
    offset: '41467',
    time,
    key,
    op: 'append',
    value,
  })
}

function rate(values: readonly Uint8Array[], seconds: number, render: (value: Uint8Array) => number): number {
  const start = cpuSeconds()
  let bytes = 0
  let count = 0
  for (; cpuSeconds() - start < seconds; count += values.length) for (const value of values) bytes += render(value)
  if (bytes === 0) throw new Error('Nothing was rendered.')
  return count / (cpuSeconds() - start)
}

/** CPU time of this thread, which other load does not change. */
function cpuSeconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e6
}
