import type { RpcLog, RpcReceipt, RpcTransaction } from '@headrace/evm'
import { id, keccak256 } from 'ethers'
import { quantity } from '../chain/json-rpc.ts'
import type { RecordedBlock } from './recording.ts'

/** What a contract logs. */
export type LogContent = Pick<RpcLog, 'address' | 'topics' | 'data'>

/** Logs of one transaction. */
const mostLogs = 10

/** Blocks with these logs, and with true blooms, to be replayed. */
export function createLogBlocks(logs: readonly (readonly LogContent[])[]): readonly RecordedBlock[] {
  return logs.map(toBlock)
}

function toBlock(logs: readonly LogContent[], number: number): RecordedBlock {
  const hash = id(`block ${number}`)
  const place = { blockHash: hash, blockNumber: quantity(number) }
  const ofTransactions = Array.from({ length: Math.ceil(logs.length / mostLogs) }, (_, index) =>
    logs.slice(index * mostLogs, (index + 1) * mostLogs),
  )
  const receipts = ofTransactions.map((own, index): RpcReceipt => {
    const of = { ...place, transactionHash: id(`transaction ${number}/${index}`), transactionIndex: quantity(index) }
    return {
      ...{ ...of, from: sender, to: own[0]!.address, type: '0x2', status: '0x1', logsBloom: bloomOf(own) },
      ...{ gasUsed: quantity(gas), cumulativeGasUsed: quantity(gas * (index + 1)) },
      logs: own.map((log, at) => ({ ...log, ...of, logIndex: quantity(index * mostLogs + at), removed: false })),
    }
  })
  const transactions = receipts.map(({ transactionHash, transactionIndex, to }): RpcTransaction => {
    const of = { ...place, hash: transactionHash, transactionIndex, from: sender, ...(to && { to }) }
    return {
      ...of,
      type: '0x2',
      nonce: transactionIndex,
      value: '0x0',
      gas: quantity(gas),
      gasPrice: '0x1',
      input: '0x',
    }
  })
  const block = {
    ...{ number: quantity(number), hash, parentHash: id(`block ${number - 1}`), timestamp: quantity(number) },
    ...{ gasLimit: quantity(1e9), gasUsed: quantity(gas * receipts.length), logsBloom: bloomOf(logs), transactions },
  }
  return { block, receipts }
}

const gas = 100_000
const sender = `0x${'5e'.repeat(20)}`

/** Yellow paper, 4.3.1: three bits for each address and topic. */
function bloomOf(logs: readonly LogContent[]): string {
  const bloom = Buffer.alloc(256)
  for (const value of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const digest = Buffer.from(keccak256(value).slice(2), 'hex')
    for (const at of [0, 2, 4]) {
      const bit = digest.readUInt16BE(at) % 2048
      bloom[255 - (bit >> 3)]! |= 1 << (bit % 8)
    }
  }
  return `0x${bloom.toString('hex')}`
}
