import { answerLogs, type LogLimits, type LogsRequest } from './answer-logs.ts'
import { quantity } from './answer-template.ts'
import type { BlockPlace, ChainView } from './replayed-chain.ts'

/** A call of JSON-RPC 2.0. */
export interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** The result of a call as JSON, or the error. */
export type Answer = Buffer | { readonly code: number; readonly message: string }

/** Answers a call as a node with the whole chain does. */
export function answerCall(chain: ChainView, call: Call, limits: LogLimits = {}): Answer {
  const { method, params } = call
  switch (method) {
    case 'eth_chainId':
      return quantity(chain.chainId)
    case 'eth_blockNumber':
      return quantity(chain.head)
    case 'eth_getBlockByNumber': {
      const block = requestedBlock(chain, call)
      return block ? chain.json(block, params[1] === true ? 'block' : 'header') : nothing
    }
    case 'eth_getBlockTransactionCountByNumber':
      return countIn(chain, requestedBlock(chain, call))
    case 'eth_getBlockTransactionCountByHash':
      return countIn(chain, blockOfHash(chain, params[0]))
    case 'eth_getBlockReceipts': {
      const block = blockOfHash(chain, params[0]) ?? requestedBlock(chain, call)
      return block ? chain.json(block, 'receipts') : nothing
    }
    case 'eth_getTransactionReceipt': {
      const found = chain.find(String(params[0]))
      return found?.index !== undefined && chain.holds(found) ? chain.receiptJson(found, found.index) : nothing
    }
    case 'eth_getLogs':
      return answerLogs(chain, params[0] as LogsRequest, limits)
    default:
      return { code: -32601, message: `the method ${method} does not exist` }
  }
}

function countIn(chain: ChainView, block: BlockPlace | undefined): Answer {
  return block ? quantity(chain.transactionCount(block)) : nothing
}

/** The block of the number or tag in a call; `undefined` above the head. */
export function requestedBlock(chain: ChainView, { params: [name] }: Call): BlockPlace | undefined {
  switch (name) {
    case 'latest':
    case 'pending':
      return chain.at(chain.head)
    case 'finalized':
    case 'safe':
      return chain.at(chain.final)
    case 'earliest':
      return chain.at(0)
    default:
      return chain.at(Number(name))
  }
}

export const nothing: Buffer = Buffer.from('null')

/** By hash a node also returns reverted blocks. */
function blockOfHash(chain: ChainView, hash: unknown): BlockPlace | undefined {
  const found = chain.find(String(hash))
  return found && found.index === undefined && found.number <= chain.head ? found : undefined
}
