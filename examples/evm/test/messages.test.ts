import { expect, test } from 'vitest'
import connector from '../src/connector.ts'
import { decodeMessage, registry } from './decode-message.ts'
import { zeroBlock, zeroTransaction } from './zero-messages.ts'

const { Block, Transaction } = connector.schema.messages
const hash = (digit: string) => `0x${digit.repeat(64)}`

test.each([
  [
    Block.name,
    [
      [1, 'ts', 'google.protobuf.Timestamp'],
      [2, 'Hash', 'string'],
      [3, 'Difficulty', 'uint64'],
      [4, 'Number', 'uint64'],
      [5, 'GasLimit', 'uint64'],
      [6, 'GasUsed', 'uint64'],
      [7, 'Nonce', 'uint64'],
    ],
  ],
  [
    Transaction.name,
    [
      [1, 'ts', 'google.protobuf.Timestamp'],
      [2, 'From', 'bytes'],
      [3, 'Hash', 'string'],
      [4, 'Size', 'double'],
      [5, 'AccountNonce', 'uint64'],
      [6, 'Price', 'uint64'],
      [7, 'GasLimit', 'uint64'],
      [8, 'Recipient', 'bytes'],
      [9, 'Amount', 'uint64'],
      [10, 'Payload', 'bytes'],
      [11, 'V', 'uint64'],
      [12, 'R', 'uint64'],
      [13, 'S', 'uint64'],
    ],
  ],
])('%s has the specified fields, and its others begin at number 20', (name, specified) => {
  const fields = registry.getMessage(name)?.fields.filter(({ number }) => number < 20)
  expect(fields?.map((field) => [field.number, field.name, typeName(field.proto)])).toEqual(specified)
})

test('encoded messages are read by another decoder', () => {
  const ts = { seconds: 101n, nanos: 0 }
  const block = {
    ...{ ...zeroBlock, ts, Hash: hash('a'), ParentHash: hash('b'), Number: 16n },
    Difficulty: 2n ** 64n - 1n,
    DifficultyExact: bytes('010000000000000000'),
    Miner: bytes('c'.repeat(40)),
    BaseFee: 0n,
  }
  const transaction = {
    ...{
      ...zeroTransaction,
      ts,
      Hash: hash('1'),
      BlockHash: hash('a'),
      BlockNumber: 16n,
      TransactionIndex: 3,
      Type: 2,
    },
    From: bytes('d'.repeat(40)),
    Amount: 5n,
    AccessList: [{ Address: bytes('e'.repeat(40)), StorageKeys: [bytes('2'.repeat(64)), bytes('3'.repeat(64))] }],
  }
  expect(decodeMessage(Block.name, Block.encode(block).finish())).toMatchObject({
    ts: { seconds: 101n },
    Hash: hash('a'),
    ParentHash: hash('b'),
    Number: 16n,
    Difficulty: 2n ** 64n - 1n,
    DifficultyExact: bytes('010000000000000000'),
    Miner: bytes('c'.repeat(40)),
    BaseFee: 0n,
  })
  expect(decodeMessage(Transaction.name, Transaction.encode(transaction).finish())).toMatchObject({
    ts: { seconds: 101n },
    From: bytes('d'.repeat(40)),
    Amount: 5n,
    Recipient: bytes(''),
    BlockHash: hash('a'),
    BlockNumber: 16n,
    TransactionIndex: 3,
    AccessList: [{ Address: bytes('e'.repeat(40)), StorageKeys: [bytes('2'.repeat(64)), bytes('3'.repeat(64))] }],
  })
})

function typeName({ type, typeName }: { type: number; typeName: string }): string {
  const scalars: Record<number, string> = { 1: 'double', 4: 'uint64', 9: 'string', 12: 'bytes' }
  return typeName ? typeName.slice(1) : (scalars[type] ?? String(type))
}

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}
