import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DescMessage, fromBinary } from '@bufbuild/protobuf'
import { compileProtos } from '@headrace/catalog'
import { UserError } from '@headrace/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { withExtremes } from '../../../testbed/recorded-chain/extreme-blocks.ts'
import { readRecording } from '../../../testbed/recorded-chain/recording.ts'
import { toBlock } from '../../test/oracle/block.ts'
import { toTransaction } from '../../test/oracle/transaction.ts'
import { toJson } from '../../test/transcoding/encode-answer.ts'
import { InvalidAnswerError } from '../errors.ts'
import type { EncodedBlock } from './block-encoder.ts'
import { declareBlockMessages } from './block-messages.ts'
import { createEncoders } from './encoders.ts'

type FindMessage = (name: string) => DescMessage | undefined

/** The messages of a .proto by their short names, as the SDK hands them to a source. */
async function compile(declarations: string): Promise<FindMessage> {
  const root = await mkdtemp(join(tmpdir(), 'headrace-proto-'))
  try {
    const text = `syntax = "proto3"; package acme; import "google/protobuf/timestamp.proto"; ${declarations}`
    await writeFile(join(root, 'acme.proto'), text)
    const { schema, problems } = await compileProtos([join(root, 'acme.proto')], { root })
    if (!schema) throw new Error(JSON.stringify(problems))
    return (name) => schema.message(`acme.${name}`)
  } finally {
    await rm(root, { recursive: true })
  }
}

const encodersFor = (descriptor: FindMessage) =>
  createEncoders(declareBlockMessages(descriptor, { receipts: true, logs: true }))

const hash = (digit: string) => `0x${digit.repeat(64)}`
const header = { number: '0x5', hash: hash('a'), parentHash: hash('b'), timestamp: '0x1', transactions: [] }

describe('a .proto with some of the fields, of other numbers and without presence', () => {
  const blockFields = ['ts', 'Hash', 'Number', 'BaseFee', 'GasUsed', 'TransactionCount', 'DifficultyExact'] as const
  const transactionFields = ['Hash', 'From', 'Size', 'AccountNonce', 'V', 'ChainId', 'Type', 'RExact'] as const
  let descriptor: FindMessage

  beforeAll(async () => {
    descriptor = await compile(`
      message Block {
        string Hash = 200;
        google.protobuf.Timestamp ts = 16;
        uint64 BaseFee = 3;
        uint64 Number = 2;
        uint32 TransactionCount = 1;
        optional uint64 GasUsed = 536870911;
        bytes DifficultyExact = 2047;
      }
      message Transaction {
        bytes From = 1;
        string Hash = 5;
        double Size = 300;
        uint64 AccountNonce = 15;
        uint64 V = 40;
        uint64 ChainId = 41;
        optional uint32 Type = 2;
        bytes RExact = 42;
        repeated Access AccessList = 9;
      }
      message Access { repeated bytes StorageKeys = 70000; }`)
  })

  const encode = (answer: unknown, number: number) =>
    encodersFor(descriptor).block(toJson(answer), number) as EncodedBlock
  const decode = (name: string, bytes: Uint8Array) =>
    fromBinary(descriptor(name)!, bytes) as unknown as Record<string, unknown> & { readonly AccessList?: object[] }

  test('is decoded to the declared fields of the block, and to no others', async () => {
    for (const { block } of withExtremes(await readRecording())) {
      const { messages } = encode(block, Number(block.number))
      const message = toBlock(block)
      const found = decode('Block', messages.Block![0]!)
      expect(found.$unknown).toBeUndefined()
      for (const name of blockFields)
        expect(plain(found[name]), name).toEqual(plain(message[name] ?? zeroOf(found[name])))
      expect(messages.Transaction).toHaveLength(block.transactions.length)
      for (const [index, each] of block.transactions.entries()) {
        const message = toTransaction(each, toBlock(block))
        const found = decode('Transaction', messages.Transaction![index]!)
        expect(found.$unknown).toBeUndefined()
        for (const name of transactionFields)
          expect(plain(found[name]), name).toEqual(plain(message[name] ?? zeroOf(found[name])))
        expect(plain(found.AccessList!.map((entry) => (entry as Record<string, unknown>).StorageKeys))).toEqual(
          plain(message.AccessList.map(({ StorageKeys }) => StorageKeys)),
        )
      }
    }
  })

  test('has a field that is 0 in the message only if it has presence', () => {
    const block = { ...header, baseFeePerGas: '0x0', gasUsed: '0x0' }
    const tagOfGasUsed = [0xf8, 0xff, 0xff, 0xff, 0x0f]
    const bytes = [...encode(block, 5).messages.Block![0]!]
    expect(bytes.slice(-6)).toEqual([...tagOfGasUsed, 0])
    expect(decode('Block', Uint8Array.from(bytes))).toMatchObject({ BaseFee: 0n, GasUsed: 0n })
    const [absent] = encode({ ...block, baseFeePerGas: null, gasUsed: null }, 5).messages.Block!
    expect(absent).toEqual(Buffer.from(bytes.slice(0, -6)))
    expect(decode('Block', absent!)).toMatchObject({ BaseFee: 0n })
    expect(decode('Block', absent!).GasUsed).toBeUndefined()
  })

  test('does not change what is checked', () => {
    const transaction = { hash: hash('c'), blockHash: hash('a'), transactionIndex: '0x0', from: '0x' }
    const changed = (change: object) => ({ ...header, transactions: [{ ...transaction, ...change }] })
    expect(() => encode(changed({ accessList: [{ address: '0xab', storageKeys: [] }] }), 5)).not.toThrow()
    for (const malformed of [
      { ...header, extraData: '0xabc' },
      changed({ value: 'x' }),
      changed({ input: '0xzz' }),
      changed({ accessList: [{ address: '0xa', storageKeys: [] }] }),
      changed({ authorizationList: [{ nonce: 'x' }] }),
    ])
      expect(() => encode(malformed, 5)).toThrow(InvalidAnswerError)
  })
})

test('a message that has no topic is only checked', async () => {
  const descriptor = await compile('message Transaction { string Hash = 1; }')
  const encoders = encodersFor(descriptor)
  const transaction = { hash: hash('c'), blockHash: hash('a'), transactionIndex: '0x0', from: '0x' }
  const block = { ...header, transactions: [transaction] }
  const encoded = encoders.block(toJson(block), 5) as EncodedBlock
  expect(encoded.messages).toEqual({
    Transaction: [Buffer.from(`0a42${Buffer.from(hash('c')).toString('hex')}`, 'hex')],
  })
  expect(() => encoders.block(toJson({ ...block, gasUsed: 'x' }), 5)).toThrow(InvalidAnswerError)
  const receipt = { blockHash: hash('a'), transactionHash: hash('c'), transactionIndex: '0x0', logs: [] }
  expect(encoders.receipts(toJson([receipt]), encoded)).toMatchObject({ messages: {} })
  expect(() => encoders.receipts(toJson([{ ...receipt, gasUsed: 'x' }]), encoded)).toThrow(InvalidAnswerError)
})

describe('a .proto is refused with', () => {
  test.each<[string, string, string]>([
    [
      'a field that no block has',
      'string Extra = 1;',
      'Field "Extra" of message acme.Block: an EVM source has no such',
    ],
    ['a name in another case', 'string hash = 1;', 'Field "hash" of message acme.Block: an EVM source has no such'],
    [
      'another integer type',
      'int64 Number = 1;',
      'Field "Number" of message acme.Block: it is int64, and must be uint64',
    ],
    [
      'text instead of bytes',
      'string Miner = 1;',
      'Field "Miner" of message acme.Block: it is string, and must be bytes',
    ],
    ['a list', 'repeated uint64 Number = 1;', 'it is repeated uint64, and must be uint64'],
    ['a map', 'map<string, string> Hash = 1;', 'it is map, and must be string'],
    ['an integer as the time', 'uint64 ts = 1;', 'it is uint64, and must be google.protobuf.Timestamp'],
    ['an enum', 'enum Kind { NONE = 0; } Kind TransactionCount = 1;', 'it is enum, and must be uint32'],
  ])('%s', async (_, field, problem) => {
    const descriptor = await compile(`message Block { ${field} }`)
    const refused = expect(() => encodersFor(descriptor))
    refused.toThrow(UserError)
    refused.toThrow(expect.objectContaining({ code: 'schema_mismatch', message: expect.stringContaining(problem) }))
  })

  test('another type in a nested message', async () => {
    const descriptor = await compile(`
      message Transaction { repeated Access AccessList = 1; }
      message Access { repeated string StorageKeys = 1; }`)
    expect(() => encodersFor(descriptor)).toThrow(
      'Field "StorageKeys" of message acme.Access: it is repeated string, and must be repeated bytes.',
    )
  })
})

/** Of a field without presence that the chain does not have. */
function zeroOf(found: unknown): unknown {
  if (found === undefined) return undefined
  return typeof found === 'bigint' ? 0n : new Uint8Array()
}

/** Without the classes of messages and bytes. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.startsWith('$'))
      .map(([name, each]) => [name, plain(each)]),
  )
}
