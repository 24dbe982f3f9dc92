import type { RpcReceipt, RpcTransaction } from '@headrace/evm'
import { id } from 'ethers'
import { quantity } from '../chain/json-rpc.ts'
import { bloomOf, type LogContent } from './logs-bloom.ts'
import type { RecordedBlock } from './recording.ts'

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
