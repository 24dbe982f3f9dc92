import type { LogFilter } from './block-logs.ts'
import type { BlockPlace, ChainView } from './replayed-chain.ts'

/** Limits of one `eth_getLogs`, as providers have them. Default: none. */
export interface LogLimits {
  readonly mostBlocks?: number
  readonly mostResults?: number
}

/** The parameter of `eth_getLogs` (EIP-234). */
export interface LogsRequest extends LogFilter {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
}

/** Answers as Geth does: from the canonical chain by range, and by hash from any branch. */
export function answerLogs(
  chain: ChainView,
  request: LogsRequest,
  limits: LogLimits,
): Buffer | { readonly code: number; readonly message: string } {
  const { mostBlocks = Number.POSITIVE_INFINITY, mostResults = Number.POSITIVE_INFINITY } = limits
  const blocks = blocksOf(chain, request)
  if (!blocks) return { code: -32000, message: 'unknown block' }
  if (blocks.length > mostBlocks) return { code: -32614, message: `eth_getLogs is limited to a ${mostBlocks} range` }
  const selected = blocks.map((block) => chain.logs(block, request)).filter(({ count }) => count > 0)
  const results = selected.reduce((sum, { count }) => sum + count, 0)
  if (results > mostResults) return { code: -32005, message: `query returned more than ${mostResults} results` }
  const parts = selected.flatMap(({ json }, index) => (index === 0 ? [json] : [comma, json]))
  return Buffer.concat([open, ...parts, close])
}

const [open, comma, close] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')]

/** A range above the head ends there. */
function blocksOf(chain: ChainView, request: LogsRequest): readonly BlockPlace[] | undefined {
  const { blockHash, fromBlock = 'latest', toBlock = 'latest' } = request
  if (blockHash !== undefined) {
    const found = chain.find(blockHash)
    return found && found.index === undefined && found.number <= chain.head ? [found] : undefined
  }
  const [from, to] = [numberOf(chain, fromBlock), Math.min(numberOf(chain, toBlock), chain.head)]
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => chain.at(from + index)!)
}

function numberOf(chain: ChainView, name: string): number {
  switch (name) {
    case 'latest':
    case 'pending':
      return chain.head
    case 'finalized':
    case 'safe':
      return chain.final
    case 'earliest':
      return 0
    default:
      return Number(name)
  }
}
