import { JsonRpcProvider } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { type BlockStep, readBlocks } from '../src/index.ts'
import { ethersTransaction } from './ethers-transaction.ts'
import { toBlock } from './oracle/block.ts'
import { expectOracleMessages } from './oracle/expect-oracle-messages.ts'
import { toTransaction } from './oracle/transaction.ts'
import { createRecordingSource } from './recording-source.ts'

const blocks = 14
const maxUint64 = 2n ** 64n - 1n
let chain: Chain
let provider: JsonRpcProvider
let steps: readonly BlockStep[]

beforeAll(async () => {
  chain = await startChain({ blobs: true })
  await chain.mine(blocks)
  provider = new JsonRpcProvider(chain.rpc, undefined, { staticNetwork: true })
  const source = createRecordingSource()
  const position = { start: 0, end: blocks, poll: 1, confirmations: 0, finality: 'finalized' } as const
  const settings = { ...position, rpc: chain.rpc, verify: 'links', receipts: true, logs: true } as const
  steps = await source.take(readBlocks(settings, source))
})

afterAll(async () => {
  provider?.destroy()
  await chain?.stop()
})

test('each block has the messages of the oracle', () => {
  expect(steps).toHaveLength(blocks + 1)
  for (const step of steps) expectOracleMessages(step, { receipts: true, logs: true })
})

test('each block equals that of an independent client', async () => {
  expect(steps).toHaveLength(blocks + 1)
  for (const { block } of steps) {
    const message = toBlock(block)
    const oracle = await provider.getBlock(message.Hash)
    expect({
      ts: message.ts.seconds,
      hash: message.Hash,
      parent: message.ParentHash,
      number: message.Number,
      difficulty: message.Difficulty,
      gasLimit: message.GasLimit,
      gasUsed: message.GasUsed,
      nonce: message.Nonce,
      baseFee: message.BaseFee,
      miner: hex(message.Miner),
      stateRoot: hex(message.StateRoot),
      receiptsRoot: hex(message.ReceiptsRoot),
      randomness: hex(message.MixHash),
      extraData: hex(message.ExtraData),
      blobGasUsed: message.BlobGasUsed,
      excessBlobGas: message.ExcessBlobGas,
      beaconRoot: message.ParentBeaconBlockRoot && hex(message.ParentBeaconBlockRoot),
      transactions: message.TransactionCount,
    }).toEqual({
      ts: BigInt(oracle!.timestamp),
      hash: oracle!.hash,
      parent: oracle!.parentHash,
      number: BigInt(oracle!.number),
      difficulty: oracle!.difficulty,
      gasLimit: oracle!.gasLimit,
      gasUsed: oracle!.gasUsed,
      nonce: BigInt(oracle!.nonce),
      baseFee: oracle!.baseFeePerGas,
      miner: oracle!.miner.toLowerCase(),
      stateRoot: oracle!.stateRoot,
      receiptsRoot: oracle!.receiptsRoot,
      randomness: oracle!.prevRandao,
      extraData: oracle!.extraData,
      blobGasUsed: oracle!.blobGasUsed,
      excessBlobGas: oracle!.excessBlobGas,
      beaconRoot: oracle!.parentBeaconBlockRoot,
      transactions: oracle!.transactions.length,
    })
  }
})

describe('transactions', () => {
  const all = () =>
    steps.flatMap(({ block }) => {
      const message = toBlock(block)
      return block.transactions.map((raw) => ({ block: message, raw, message: toTransaction(raw, message) }))
    })

  test('are of every type', () => {
    const messages = all().map(({ message }) => message)
    expect([...new Set(messages.map(({ Type }) => Type))].sort()).toEqual([0, 1, 2, 3, 4])
    expect(messages.some(({ Recipient }) => Recipient.length === 0)).toBe(true)
    expect(messages.some(({ Amount }) => Amount === maxUint64)).toBe(true)
    expect(messages.some(({ Type, V }) => Type === 0 && V < 29n)).toBe(true)
    expect(messages.some(({ Payload }) => Payload.length > 200)).toBe(true)
  })

  test('have the size of their consensus encoding, which hashes to their hash', () => {
    for (const { raw, message } of all()) {
      const oracle = ethersTransaction(raw)
      expect(oracle.hash).toBe(message.Hash)
      expect(message.Size).toBe((oracle.serialized.length - 2) / 2)
    }
  })

  test('equal those of an independent client', async () => {
    for (const { block, message } of all()) {
      const oracle = await provider.getTransaction(message.Hash)
      expect({
        ts: message.ts,
        from: hex(message.From),
        to: hex(message.Recipient),
        nonce: message.AccountNonce,
        gas: message.GasLimit,
        amount: message.Amount,
        exactAmount: message.AmountExact && BigInt(hex(message.AmountExact)),
        input: hex(message.Payload),
        r: message.R,
        exactR: BigInt(hex(message.RExact!)),
        exactS: BigInt(hex(message.SExact!)),
        block: message.BlockNumber,
        blockHash: message.BlockHash,
        index: message.TransactionIndex,
        type: message.Type,
        fee: message.MaxFeePerGas,
        tip: message.MaxPriorityFeePerGas,
        blobFee: message.MaxFeePerBlobGas,
        blobs: message.BlobVersionedHashes.map(hex),
        access: message.AccessList.map(({ Address, StorageKeys }) => [hex(Address), StorageKeys.map(hex)]),
        authorizations: message.AuthorizationList.map((each) => [hex(each.Address), each.Nonce, each.YParity]),
      }).toEqual({
        ts: block.ts,
        from: oracle!.from.toLowerCase(),
        to: oracle!.to?.toLowerCase() ?? '0x',
        nonce: BigInt(oracle!.nonce),
        gas: oracle!.gasLimit,
        amount: oracle!.value > maxUint64 ? maxUint64 : oracle!.value,
        exactAmount: oracle!.value > maxUint64 ? oracle!.value : undefined,
        input: oracle!.data,
        r: maxUint64,
        exactR: BigInt(oracle!.signature.r),
        exactS: BigInt(oracle!.signature.s),
        block: BigInt(oracle!.blockNumber!),
        blockHash: oracle!.blockHash,
        index: oracle!.index,
        type: oracle!.type,
        fee: oracle!.maxFeePerGas ?? undefined,
        tip: oracle!.maxPriorityFeePerGas ?? undefined,
        blobFee: oracle!.maxFeePerBlobGas ?? undefined,
        blobs: oracle!.blobVersionedHashes ?? [],
        access: oracle!.accessList?.map(({ address, storageKeys }) => [address.toLowerCase(), storageKeys]) ?? [],
        authorizations:
          oracle!.authorizationList?.map(({ address, nonce, signature }) => [
            address.toLowerCase(),
            nonce,
            signature.yParity,
          ]) ?? [],
      })
    }
  })

  test('have the price and parity of the node', () => {
    for (const { raw, message } of all()) {
      expect([message.Price, message.V]).toEqual([BigInt(raw.gasPrice ?? 0), BigInt(raw.v ?? 0)])
    }
  })
})

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
