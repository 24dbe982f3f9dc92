import type { Call } from './answer-call.ts'

/** Faults of a whole request. */
export const transportFaults = [
  'status_500',
  'status_502',
  'status_503',
  /** HTTP status 429 with `Retry-After`. */
  'retry_after_seconds',
  'retry_after_date',
  /** No answer at all. */
  'silence',
  /** A complete HTTP answer with half of the JSON. */
  'truncated_json',
  'connection_cut',
] as const

const blockFaults = ['null_block', 'other_number', 'other_fork'] as const

const transactionFaults = [
  'missing_transaction',
  'missing_last_transaction',
  'no_transactions',
  'foreign_transaction',
  'unreadable_transaction',
] as const

/** Faults of the receipts of a block. */
export const receiptFaults = ['missing_receipt', 'missing_log', 'foreign_receipts', 'unreadable_receipt'] as const

/** Faults of `eth_getLogs`. They are in no other list, because only reading events asks for logs. */
export const logFaults = [
  /** The logs of one block are missing. */
  'missing_logs',
  /** The second half of the logs is missing. */
  'truncated_logs',
  /** Of each block with several logs, the last one is missing. */
  'fewer_logs',
  /** The logs of one block are of another branch. */
  'foreign_logs',
  'unreadable_log',
] as const

/** Faults of the answer to one call. */
export const answerFaults = [
  ...(['rpc_error', 'answer_too_large', 'stale_head'] as const),
  ...blockFaults,
  ...transactionFaults,
  ...receiptFaults,
] as const

export type TransportFault = (typeof transportFaults)[number]
export type BlockFault = (typeof blockFaults)[number]
export type TransactionFault = (typeof transactionFaults)[number]
export type ReceiptFault = (typeof receiptFaults)[number]
export type AnswerFault = (typeof answerFaults)[number]
export type LogFault = (typeof logFaults)[number]
export type ReplayFault = TransportFault | AnswerFault | LogFault

export const replayFaults: readonly ReplayFault[] = [...transportFaults, ...answerFaults]

/** Whether a fault is one of a list. */
export function isOf<T extends ReplayFault>(faults: readonly T[], fault: ReplayFault | undefined): fault is T {
  return (faults as readonly (ReplayFault | undefined)[]).includes(fault)
}

/** Whether a fault can occur in the answer to a call. A missing transaction also needs a block with two. */
export function isApplicable(fault: ReplayFault, { method, params }: Call): boolean {
  const isByNumber = method === 'eth_getBlockByNumber' && !Number.isNaN(Number(params[0]))
  if (fault === 'stale_head') return method === 'eth_blockNumber' || params[0] === 'latest'
  if (isOf(blockFaults, fault)) return isByNumber
  if (isOf(transactionFaults, fault)) return isByNumber && params[1] === true
  if (isOf(logFaults, fault)) return method === 'eth_getLogs'
  return !isOf(receiptFaults, fault) || method === 'eth_getBlockReceipts'
}
