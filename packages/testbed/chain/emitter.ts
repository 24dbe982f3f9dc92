import { concat, dataLength, toBeHex } from 'ethers'
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
  const hash = await call<string>(rpc, 'eth_sendTransaction', [
    { from, gas: quantity(500_000), input: creationOf(runInput) },
  ])
  await call(rpc, 'evm_mine')
  const { contractAddress } = await call<{ contractAddress: string }>(rpc, 'eth_getTransactionReceipt', [hash])
  return { address: contractAddress, input: (log) => creationOf(emitting(log)) }
}

/**
 * The contract creates another one with its input, and runs the code of that as its own: CALLDATASIZE PUSH0 PUSH0
 * CALLDATACOPY, CALLDATASIZE PUSH0 PUSH0 CREATE, PUSH0 PUSH0 PUSH0 PUSH0 DUP5 GAS DELEGATECALL STOP.
 */
const runInput = '0x365f5f37' + '365f5ff0' + '5f5f5f5f845af400'

/** Code that emits a log: PUSH32 for each topic, the last one first; size, offset, 0 CODECOPY; size, 0 LOG; STOP. */
function emitting({ topics, data }: EmittedLog): string {
  const pushes = topics.toReversed().flatMap((topic) => ['0x7f', topic])
  const size = concat(['0x61', toBeHex(dataLength(data), 2)])
  const offset = toBeHex(33 * topics.length + lengthAfterTopics, 2)
  return concat([
    ...pushes,
    size,
    '0x61',
    offset,
    '0x5f39',
    size,
    '0x5f',
    toBeHex(0xa0 + topics.length, 1),
    '0x00',
    data,
  ])
}

/** Bytes of the code between the topics and the data. */
const lengthAfterTopics = 14

/** Input that creates a contract: PUSH2 length DUP1 PUSH1 10 PUSH0 CODECOPY PUSH0 RETURN. */
function creationOf(code: string): string {
  return concat(['0x61', toBeHex(dataLength(code), 2), '0x80600a5f395ff3', code])
}
