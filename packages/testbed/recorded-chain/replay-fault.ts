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

/** Faults of the receipts of a block. */
export const receiptFaults = ['missing_receipt', 'missing_log', 'foreign_receipts', 'unreadable_receipt'] as const

/** Faults of the answer to one call. */
export const answerFaults = [
  'rpc_error',
  'answer_too_large',
  'stale_head',
  'null_block',
  'other_number',
  'other_fork',
  'missing_transaction',
  'missing_last_transaction',
  'no_transactions',
  'foreign_transaction',
  'unreadable_transaction',
  ...receiptFaults,
] as const

export type TransportFault = (typeof transportFaults)[number]
export type AnswerFault = (typeof answerFaults)[number]
export type ReplayFault = TransportFault | AnswerFault

export const replayFaults: readonly ReplayFault[] = [...transportFaults, ...answerFaults]

/** Whether a fault can occur in the answer to a call. A missing transaction also needs a block with two. */
export function isApplicable(fault: ReplayFault, { method, params }: Call): boolean {
  const isByNumber = method === 'eth_getBlockByNumber' && !Number.isNaN(Number(params[0]))
  switch (fault) {
    case 'stale_head':
      return method === 'eth_blockNumber' || params[0] === 'latest'
    case 'null_block':
    case 'other_number':
    case 'other_fork':
      return isByNumber
    case 'missing_transaction':
    case 'missing_last_transaction':
    case 'no_transactions':
    case 'foreign_transaction':
    case 'unreadable_transaction':
      return isByNumber && params[1] === true
    case 'missing_receipt':
    case 'missing_log':
    case 'foreign_receipts':
    case 'unreadable_receipt':
      return method === 'eth_getBlockReceipts'
    default:
      return true
  }
}
