import type { Block, Transaction } from '../../../examples/evm/src/generated/evm.ts'
import type { Timestamp } from '../../../examples/evm/src/generated/google/protobuf/timestamp.ts'
import type { Encoders } from './encoders.ts'

/**
 * What can be had at best: every field in its place with its tag ready made, nothing checked, in a buffer that never
 * grows. Fields that no message of the workload has are left out.
 */
export function handWritten(): Encoders {
  const memory = new ArrayBuffer(1024 * 1024)
  const buffer = Buffer.from(memory)
  const double = new Float64Array(1)
  const doubleBytes = new Uint8Array(double.buffer)
  const words = new Uint32Array(2)
  const integer = new BigUint64Array(words.buffer)
  let at = 0

  return {
    Block: encodeBlock,
    Transaction: encodeTransaction,
    reset: () => {
      at = 0
    },
  }

  function encodeTransaction(message: Transaction): Uint8Array {
    const start = at
    timestamp(message.ts!)
    bytes(0x12, message.From)
    ascii(0x1a, message.Hash)
    if (message.Size !== 0) {
      buffer[at++] = 0x21
      double[0] = message.Size
      for (let i = 0; i < 8; i++) buffer[at++] = doubleBytes[i]!
    }
    uint64(0x28, message.AccountNonce)
    uint64(0x30, message.Price)
    uint64(0x38, message.GasLimit)
    bytes(0x42, message.Recipient)
    uint64(0x48, message.Amount)
    bytes(0x52, message.Payload)
    uint64(0x58, message.V)
    uint64(0x60, message.R)
    uint64(0x68, message.S)
    if (message.BlockNumber !== 0n) uint64Long(0xa0, 0x01, message.BlockNumber)
    asciiLong(0xaa, 0x01, message.BlockHash)
    uint32Long(0xb0, 0x01, message.TransactionIndex)
    uint32Long(0xb8, 0x01, message.Type)
    if (message.ChainId !== undefined) uint64Long(0xc0, 0x01, message.ChainId)
    if (message.MaxFeePerGas !== undefined) uint64Long(0xc8, 0x01, message.MaxFeePerGas)
    if (message.MaxPriorityFeePerGas !== undefined) uint64Long(0xd0, 0x01, message.MaxPriorityFeePerGas)
    if (message.AmountExact !== undefined) bytesLong(0xea, 0x03, message.AmountExact)
    if (message.RExact !== undefined) bytesLong(0xfa, 0x03, message.RExact)
    if (message.SExact !== undefined) bytesLong(0x82, 0x04, message.SExact)
    return new Uint8Array(memory, start, at - start)
  }

  function encodeBlock(message: Block): Uint8Array {
    const start = at
    timestamp(message.ts!)
    ascii(0x12, message.Hash)
    uint64(0x18, message.Difficulty)
    uint64(0x20, message.Number)
    uint64(0x28, message.GasLimit)
    uint64(0x30, message.GasUsed)
    uint64(0x38, message.Nonce)
    asciiLong(0xa2, 0x01, message.ParentHash)
    bytesLong(0xaa, 0x01, message.Miner)
    if (message.BaseFee !== undefined) uint64Long(0xb0, 0x01, message.BaseFee)
    uint32Long(0xb8, 0x01, message.TransactionCount)
    bytesLong(0xc2, 0x01, message.StateRoot)
    bytesLong(0xca, 0x01, message.TransactionsRoot)
    bytesLong(0xd2, 0x01, message.ReceiptsRoot)
    bytesLong(0xda, 0x01, message.UnclesHash)
    bytesLong(0xe2, 0x01, message.LogsBloom)
    bytesLong(0xea, 0x01, message.ExtraData)
    bytesLong(0xf2, 0x01, message.MixHash)
    if (message.Size !== 0n) uint64Long(0xf8, 0x01, message.Size)
    if (message.WithdrawalsRoot !== undefined) bytesLong(0x82, 0x02, message.WithdrawalsRoot)
    if (message.BlobGasUsed !== undefined) uint64Long(0x88, 0x02, message.BlobGasUsed)
    if (message.ExcessBlobGas !== undefined) uint64Long(0x90, 0x02, message.ExcessBlobGas)
    if (message.ParentBeaconBlockRoot !== undefined) bytesLong(0x9a, 0x02, message.ParentBeaconBlockRoot)
    return new Uint8Array(memory, start, at - start)
  }

  function timestamp({ seconds }: Timestamp): void {
    buffer[at++] = 0x0a
    const length = at++
    uint64(0x08, seconds)
    buffer[length] = at - length - 1
  }

  function ascii(tag: number, value: string): void {
    buffer[at++] = tag
    buffer[at++] = value.length
    at += buffer.write(value, at, 'latin1')
  }

  function asciiLong(tag: number, tagEnd: number, value: string): void {
    buffer[at++] = tag
    ascii(tagEnd, value)
  }

  function bytes(tag: number, value: Uint8Array): void {
    if (value.length === 0) return
    buffer[at++] = tag
    varint(value.length)
    buffer.set(value, at)
    at += value.length
  }

  function bytesLong(tag: number, tagEnd: number, value: Uint8Array): void {
    buffer[at++] = tag
    bytes(tagEnd, value)
  }

  function uint64(tag: number, value: bigint): void {
    if (value === 0n) return
    buffer[at++] = tag
    varint64(value)
  }

  function uint64Long(tag: number, tagEnd: number, value: bigint): void {
    buffer[at++] = tag
    buffer[at++] = tagEnd
    varint64(value)
  }

  function uint32Long(tag: number, tagEnd: number, value: number): void {
    if (value === 0) return
    buffer[at++] = tag
    buffer[at++] = tagEnd
    varint(value)
  }

  function varint64(value: bigint): void {
    integer[0] = value
    let low = words[0]!
    let high = words[1]!
    while (high !== 0) {
      buffer[at++] = (low & 0x7f) | 0x80
      low = ((low >>> 7) | (high << 25)) >>> 0
      high >>>= 7
    }
    varint(low)
  }

  function varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      buffer[at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    buffer[at++] = rest
  }
}
