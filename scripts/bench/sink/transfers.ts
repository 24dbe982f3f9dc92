import type { Queue } from '@headrace/queue'
import { openBenchTopic } from '../bench-topic.ts'

const proto = `
syntax = "proto3";
package bench;
import "google/protobuf/timestamp.proto";
message Transfer {
  google.protobuf.Timestamp time = 1;
  string hash = 2;
  string sender = 3;
  string recipient = 4;
  int64 block = 5;
  int32 position = 6;
  int64 amount = 7;
  int64 price = 8;
  int64 gas = 9;
  int64 nonce = 10;
  double size = 11;
  bool success = 12;
  string input = 13;
}`

/** Records of a transaction. */
const unit = 500

/** Publishes transfers, like the transactions of a chain. Returns the topic. */
export async function publishTransfers(queue: Queue, count: number): Promise<string> {
  const { topic, publish } = await openBenchTopic(queue, { name: 'sink', proto, message: 'Transfer' })
  for (let start = 0; start < count; start += unit)
    await publish(transfersFrom(start, Math.min(unit, count - start)).map(asMessage))
  return topic
}

/** Publishes the same as JSON. */
export async function publishJson(queue: Queue, topic: string, count: number): Promise<void> {
  await queue.createTopics([{ name: topic }])
  for (let start = 0; start < count; start += unit)
    await queue.append(
      transfersFrom(start, Math.min(unit, count - start)).map((transfer) => ({
        ...{ topic, key: null, value: Buffer.from(JSON.stringify(transfer)), time: Date.now() },
      })),
    )
}

/** Types of the fields in the JSON of Kafka Connect. */
export const connectTypes: readonly (readonly [field: keyof Transfer, type: string, name?: string])[] = [
  ['time', 'int64', 'org.apache.kafka.connect.data.Timestamp'],
  ...(['hash', 'sender', 'recipient'] as const).map((field) => [field, 'string'] as const),
  ['block', 'int64'],
  ['position', 'int32'],
  ...(['amount', 'price', 'gas', 'nonce'] as const).map((field) => [field, 'int64'] as const),
  ['size', 'double'],
  ['success', 'boolean'],
  ['input', 'string'],
]

type Transfer = ReturnType<typeof transfersFrom>[number]

function transfersFrom(start: number, count: number) {
  return Array.from({ length: count }, (_, index) => transfer(start + index))
}

function transfer(index: number) {
  const block = Math.floor(index / 100)
  return {
    time: 1_780_000_000_000 + block * 12_000,
    hash: hex(index, 64),
    sender: hex(index * 7, 40),
    recipient: hex(index * 11, 40),
    block,
    position: index % 100,
    amount: 1_234_567_890_123 + index,
    price: 20_000_000_000 + index,
    gas: 21_000 + (index % 1000),
    nonce: index % 5000,
    size: 110.5 + (index % 50),
    success: index % 20 !== 0,
    input: index % 2 === 0 ? '0x' : `0xa9059cbb${hex(index, 128).slice(2)}`,
  }
}

/** Of digits that look random. */
function hex(index: number, length: number): string {
  const digits = Math.imul(index + 1, 0x9e3779b1) >>> 0
  return `0x${digits
    .toString(16)
    .padStart(8, '0')
    .repeat(length / 8)}`
}

function asMessage({ time, ...transfer }: Transfer): object {
  const { block, amount, price, gas, nonce } = transfer
  return {
    ...transfer,
    time: { $typeName: 'google.protobuf.Timestamp', seconds: BigInt(time / 1000), nanos: 0 },
    ...{ block: BigInt(block), amount: BigInt(amount), price: BigInt(price), gas: BigInt(gas), nonce: BigInt(nonce) },
  }
}
