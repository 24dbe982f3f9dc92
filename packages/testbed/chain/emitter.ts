import { concat, toBeHex } from 'ethers'
import { call, quantity } from './json-rpc.ts'

/** A log to emit: up to four topics of 32 bytes, and any data. */
export interface EmittedLog {
  readonly topics: readonly string[]
  readonly data: string
}

/** A contract that emits any log, so that it can have the events of any ABI. */
export interface Emitter {
  readonly address: string
  /** Input of a transaction that emits a log. */
  input(log: EmittedLog): string
}

/** Creates the contract, in a block of its own. */
export async function deployEmitter(rpc: string, from: string): Promise<Emitter> {
  const hash = await call<string>(rpc, 'eth_sendTransaction', [{ from, gas: quantity(500_000), input: creation }])
  await call(rpc, 'evm_mine')
  const { contractAddress } = await call<{ contractAddress: string }>(rpc, 'eth_getTransactionReceipt', [hash])
  return {
    address: contractAddress,
    input: ({ topics, data }) => concat([toBeHex(topics.length, 1), ...topics, data]),
  }
}

// Input: number of topics (1 byte), topics, data. The code puts these on the stack: the number of topics by
// PUSH1 0 CALLDATALOAD PUSH1 248 SHR (EIP-145), the offset of the data by DUP1 PUSH1 5 SHL PUSH1 1 ADD, the length of the
// data by DUP1 CALLDATASIZE SUB. Then DUP1 DUP3 PUSH1 0 CALLDATACOPY.
const prologue = '0x60003560f81c8060051b60010180360380826000' + '37'
const jumpLength = 7

const branches = [0, 1, 2, 3, 4].map((topics) => {
  // PUSH1 … CALLDATALOAD for each topic, the first one last.
  const loads = Array.from({ length: topics }, (_, index) =>
    concat(['0x60', toBeHex(1 + 32 * (topics - 1 - index), 1), '0x35']),
  )
  // JUMPDEST … DUP of the length, PUSH1 0 LOG STOP.
  return concat(['0x5b', ...loads, toBeHex(0x80 + topics, 1), '0x6000', toBeHex(0xa0 + topics, 1), '0x00'])
})

const jumps = branches.map((_, topics) => {
  const before = branches.slice(0, topics).reduce((sum, branch) => sum + byteLength(branch), 0)
  const target = byteLength(prologue) + jumpLength * branches.length + before
  // DUP3 PUSH1 topics EQ PUSH1 target JUMPI
  return concat(['0x8260', toBeHex(topics, 1), '0x1460', toBeHex(target, 1), '0x57'])
})

const runtime = concat([prologue, ...jumps, ...branches])
// PUSH2 length DUP1 PUSH1 12 PUSH1 0 CODECOPY PUSH1 0 RETURN
const creation = concat(['0x61', toBeHex(byteLength(runtime), 2), '0x80600c6000396000f3', runtime])

function byteLength(hex: string): number {
  return (hex.length - 2) / 2
}
