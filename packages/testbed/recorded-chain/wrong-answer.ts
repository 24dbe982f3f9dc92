import type { RpcReceipt } from '@headrace/evm'
import { type Answer, answerCall, type Call, nothing, requestedBlock } from './answer-call.ts'
import { quantity } from './answer-template.ts'
import {
  type AnswerFault,
  type BlockFault,
  isApplicable,
  isOf,
  type LogFault,
  logFaults,
  type ReceiptFault,
  receiptFaults,
  type TransactionFault,
} from './replay-fault.ts'
import type { BlockPlace, ChainView } from './replayed-chain.ts'

/** A wrong answer to a call; `undefined` if the fault does not apply to it. */
export function wrongAnswer(chain: ChainView, call: Call, fault: AnswerFault | LogFault): Answer | undefined {
  if (!isApplicable(fault, call)) return undefined
  switch (fault) {
    case 'rpc_error':
      return { code: -32000, message: 'header not found' }
    case 'answer_too_large':
      return { code: -32005, message: 'response size exceeded' }
    case 'stale_head':
      return staleHead(chain, call)
    default:
      if (isOf(logFaults, fault)) return wrongLogs(chain, call, fault)
      return isOf(receiptFaults, fault) ? wrongReceipts(chain, call, fault) : wrongBlock(chain, call, fault)
  }
}

/** How many blocks a stale node is behind. */
const staleBlocks = 7
/** A branch that no reorganisation creates. */
const otherBranch = 0xffff_ffff
/** An address with an invalid end. */
const unreadable = `0x${'0'.repeat(38)}zz`

function staleHead(chain: ChainView, { method }: Call): Answer {
  const stale = Math.max(0, chain.head - staleBlocks)
  return method === 'eth_blockNumber' ? quantity(stale) : chain.json(chain.at(stale)!, 'header')
}

function wrongReceipts(chain: ChainView, { params: [hash] }: Call, fault: ReceiptFault): Answer | undefined {
  const block = chain.find(String(hash))
  if (!block) return undefined
  if (fault === 'foreign_receipts') return chain.json({ ...block, branch: otherBranch }, 'receipts')
  const { receipts } = chain.read(block)
  const [first, ...others] = receipts
  if (fault === 'missing_receipt') return json(others)
  if (fault === 'missing_log') return withoutFirstLog(receipts)
  return first && json([{ ...first, from: unreadable }, ...others])
}

/** Only the index of the next log shows that one is missing. */
function withoutFirstLog(receipts: readonly RpcReceipt[]): Answer | undefined {
  if (receipts.flatMap(({ logs }) => logs).length < 2) return undefined
  const index = receipts.findIndex(({ logs }) => logs.length > 0)
  return json(receipts.with(index, { ...receipts[index]!, logs: receipts[index]!.logs.slice(1) }))
}

interface PlacedLog {
  readonly blockNumber: string
}

function wrongLogs(chain: ChainView, call: Call, fault: LogFault): Answer | undefined {
  const answer = answerCall(chain, call)
  const logs = Buffer.isBuffer(answer) ? (JSON.parse(answer.toString()) as readonly PlacedLog[]) : []
  const number = logs[logs.length >> 1]?.blockNumber
  if (number === undefined) return undefined
  const isChosen = ({ blockNumber }: PlacedLog) => blockNumber === number
  switch (fault) {
    case 'missing_logs':
      return json(logs.filter((log) => !isChosen(log)))
    case 'truncated_logs':
      return json(logs.slice(0, logs.length >> 1))
    case 'fewer_logs':
      return json([...Map.groupBy(logs, ({ blockNumber }) => blockNumber).values()].flatMap(withoutLast))
    case 'foreign_logs': {
      const { hash } = chain.read({ number: Number(number), branch: otherBranch }).block
      return json(logs.map((log) => (isChosen(log) ? { ...log, blockHash: hash } : log)))
    }
    case 'unreadable_log':
      return json(logs.map((log) => (isChosen(log) ? { ...log, address: unreadable } : log)))
  }
}

function withoutLast<T>(logs: readonly T[]): readonly T[] {
  return logs.length > 1 ? logs.slice(0, -1) : logs
}

function wrongBlock(chain: ChainView, call: Call, fault: BlockFault | TransactionFault): Answer | undefined {
  const block = requestedBlock(chain, call)
  const part = call.params[1] === true ? 'block' : 'header'
  if (!block) return undefined
  switch (fault) {
    case 'null_block':
      return nothing
    case 'other_number':
      return chain.json(chain.at(block.number === 0 ? 1 : block.number - 1)!, part)
    case 'other_fork':
      return chain.json({ ...block, branch: otherBranch }, part)
    default:
      return wrongTransactions(chain, block, fault)
  }
}

function wrongTransactions(chain: ChainView, place: BlockPlace, fault: TransactionFault): Answer | undefined {
  const { block } = chain.read(place)
  const { transactions } = block
  const wrong = (others: readonly object[]) => json({ ...block, transactions: others })
  if (fault === 'no_transactions') return transactions.length > 0 ? wrong([]) : undefined
  if (transactions.length < 2) return undefined
  switch (fault) {
    case 'missing_transaction':
      return wrong(transactions.slice(1))
    case 'missing_last_transaction':
      return wrong(transactions.slice(0, -1))
    case 'foreign_transaction': {
      const [foreign] = chain.read({ ...place, branch: otherBranch }).block.transactions
      return foreign && wrong([foreign, ...transactions.slice(1)])
    }
    case 'unreadable_transaction':
      return wrong([{ ...transactions[0], from: unreadable }, ...transactions.slice(1)])
  }
}

function json(answer: unknown): Buffer {
  return Buffer.from(JSON.stringify(answer))
}
