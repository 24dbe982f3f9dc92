import { hash } from 'node:crypto'
import type { RpcLog, RpcReceipt } from '@headrace/evm'
import { quantity } from '../chain/json-rpc.ts'
import { bloomOf, type LogContent } from './logs-bloom.ts'
import type { RecordedBlock } from './recording.ts'

export interface BusyBlocksOptions {
  /** Transactions of each block, 0 to 300. */
  readonly transactionCounts: readonly number[]
  /** Logs of a block, per transaction. Default 3, as on Ethereum. */
  readonly logsPerTransaction?: number
  /** Transfers of `token` in each block, spread over its logs. */
  readonly tokenEvents: readonly number[]
}

/** A contract of which blocks have few logs among many. */
export const token = addressOf('token')

/** Topic 0 of `Transfer(address,address,uint256)` (ERC-20). */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Blocks of a busy chain: recorded transactions of all types, with made up logs of many contracts and true blooms. */
export function createBusyBlocks(recorded: readonly RecordedBlock[], options: BusyBlocksOptions): RecordedBlock[] {
  const { transactionCounts, logsPerTransaction = 3, tokenEvents } = options
  const [largest] = recorded.toSorted((one, other) => other.receipts.length - one.receipts.length)
  return transactionCounts.map((transactions, number) => {
    const first = (number * 17) % (largest!.receipts.length - transactions + 1)
    const logs = { total: transactions * logsPerTransaction, ofToken: tokenEvents[number % tokenEvents.length]! }
    return withLogs(cut(largest!, first, transactions), logs, number)
  })
}

/** Some of the transactions of a block, as a block. */
function cut({ block, receipts }: RecordedBlock, first: number, count: number): RecordedBlock {
  const numbered = <T extends object>(items: readonly T[]): T[] =>
    items.slice(first, first + count).map((item, index) => ({ ...item, transactionIndex: quantity(index) }))
  return { block: { ...block, transactions: numbered(block.transactions) }, receipts: numbered(receipts) }
}

function withLogs({ block, receipts }: RecordedBlock, counts: LogCounts, seed: number): RecordedBlock {
  // A failed transaction has no logs.
  const successful = receipts.filter(({ status }) => status === '0x1').length
  let [nth, logIndex] = [0, 0]
  const busy = receipts.map((receipt): RpcReceipt => {
    if (receipt.status !== '0x1') return { ...receipt, logs: [], logsBloom: bloomOf([]) }
    nth++
    const logs: RpcLog[] = []
    for (; logIndex < Math.floor((nth * counts.total) / successful); logIndex++) {
      const { blockHash, transactionHash, transactionIndex } = receipt
      const { number: blockNumber, timestamp: blockTimestamp } = block
      const place = { blockHash, blockNumber, blockTimestamp, transactionHash, transactionIndex }
      logs.push({
        ...madeUpLog(logIndex, counts, seed),
        ...place,
        logIndex: quantity(logIndex),
        removed: false,
      } as RpcLog)
    }
    return { ...receipt, logs, logsBloom: bloomOf(logs) }
  })
  return { block: { ...block, logsBloom: bloomOf(busy.flatMap(({ logs }) => logs)) }, receipts: busy }
}

interface LogCounts {
  readonly total: number
  readonly ofToken: number
}

const contracts = 40

/** Transfers, swaps and reserves in turn. */
function madeUpLog(index: number, { total, ofToken }: LogCounts, seed: number): LogContent {
  const word = (name: string | number) => hash('sha256', `${seed}/${index}/${name}`)
  const parties = ['from', 'to'].map((name) => `0x${'0'.repeat(24)}${word(name).slice(24)}`)
  const words = (count: number) => `0x${Array.from({ length: count }, (_, nth) => word(nth)).join('')}`
  if (Math.floor(((index + 1) * ofToken) / total) > Math.floor((index * ofToken) / total))
    return { address: token, topics: [transferTopic, ...parties], data: words(1) }
  const address = addressOf(`contract ${(seed + index * 7) % contracts}`)
  if (index % 3 === 0) return { address, topics: [transferTopic, ...parties], data: words(1) }
  if (index % 3 === 1) return { address, topics: [topicOf('Swap'), ...parties], data: words(5) }
  return { address, topics: [topicOf('Sync')], data: words(2) }
}

function addressOf(name: string): string {
  return `0x${hash('sha1', name)}`
}

function topicOf(name: string): string {
  return `0x${hash('sha256', name)}`
}
