import { RpcError, type RpcOverloadedError } from '../errors.ts'
import { overloadOf } from '../rpc/judge-failure.ts'

/**
 * - `too_wide`: more blocks than the node allows per request.
 * - `too_many_results`: more logs than the node allows per answer.
 * - `too_slow`: the answer took too long.
 * - `too_large`: the answer has too many bytes.
 * - `too_many_values`: more addresses or topics than the node allows in a filter. Fewer blocks do not help.
 */
export type RefusalKind = 'too_wide' | 'too_many_results' | 'too_slow' | 'too_large' | 'too_many_values'

/**
 * The numbers are those in the node's message. reth, zkSync Era and dRPC sometimes give numbers that are no smaller than
 * those of the refused request.
 */
export interface RangeRefusal {
  readonly kind: RefusalKind
  /** The number of blocks allowed. Some nodes allow one more, because they compare it with `toBlock - fromBlock`. */
  readonly blocks?: number
  /** The number of addresses and topics allowed, per position or in the whole filter. */
  readonly values?: number
  /** A range that the node expects to answer, both ends included. */
  readonly suggested?: { readonly from: number; readonly to: number }
}

/**
 * Returns why a node refused the filter of an `eth_getLogs`, or `undefined` if the error has another reason, for example
 * a rate limit.
 */
export function rangeRefusal(error: RpcError | RpcOverloadedError): RangeRefusal | undefined {
  if (!(error instanceof RpcError)) return error.overload === 'too_many' ? undefined : { kind: error.overload }
  const { message } = error
  for (const { kind, pattern } of wordings) {
    const match = pattern.exec(message)
    if (match) return { kind, ...limits(match.groups), ...suggestion(message) }
  }
  // The size of a batch, and the time it takes, depend on its number of calls.
  const overload = error.calls > 1 ? undefined : overloadOf(error)
  return overload === 'too_slow' || overload === 'too_large' ? { kind: overload, ...suggestion(message) } : undefined
}

interface Wording {
  readonly kind: RefusalKind
  readonly pattern: RegExp
}

/** The first match applies. Codes are not compared, because providers use the same code for different errors. */
const wordings: readonly Wording[] = [
  // Infura, zkSync Era, Kaia, Frontier
  { kind: 'too_many_results', pattern: /returned more than \d+ results/i },
  // reth, Ankr, LlamaNodes
  { kind: 'too_many_results', pattern: /exceeds max results/i },
  // thirdweb. Before Alchemy, whose first sentence is the same.
  { kind: 'too_wide', pattern: /number of requested blocks is (?<blocks>\d+)/i },
  // Alchemy
  { kind: 'too_many_results', pattern: /log response size exceeded/i },
  // Alchemy, Infura, Kaia
  { kind: 'too_slow', pattern: /query timeout exceeded/i },
  // Alchemy, Aurora
  { kind: 'too_wide', pattern: /up to a (?<blocks>[\d,]+) block range/i },
  // Arbitrum
  { kind: 'too_many_results', pattern: /logs matched by query exceeds limit/i },
  // Nethermind, Erigon
  { kind: 'too_many_results', pattern: /too many logs/i },
  // Any node written in Go
  { kind: 'too_slow', pattern: /deadline exceeded/i },
  // QuickNode, Blast, BlockPI, 1RPC, Polygon zkEVM
  { kind: 'too_wide', pattern: /limited to (?:a |0 - )?(?<blocks>[\d,]+) (?:blocks? )?range/i },
  // geth, reth, BNB Chain, PublicNode, Hedera, Morph
  { kind: 'too_wide', pattern: /max(?:imum)? block range(?::| =)? (?<blocks>\d+)/i },
  // Erigon
  { kind: 'too_wide', pattern: /block range exceeds server limit, narrow your filter: (?<blocks>\d+)/i },
  // Infura, Tenderly
  { kind: 'too_wide', pattern: /range \d+ (?:exceeds limit of|is bigger than range limit) (?<blocks>\d+)/i },
  // dRPC
  { kind: 'too_wide', pattern: /ranges over (?<blocks>\d+) blocks/i },
  // Cloudflare, cdk-erigon
  { kind: 'too_wide', pattern: /range too large[.,] max range: (?<blocks>\d+)/i },
  // Moonbeam
  { kind: 'too_wide', pattern: /range is too wide \(maximum (?<blocks>\d+)\)/i },
  // Sei
  { kind: 'too_wide', pattern: /range too large \(\d+\), maximum allowed is (?<blocks>\d+)/i },
  // Merkle
  { kind: 'too_wide', pattern: /range is too large, max is (?<blocks>\d+k?)/i },
  // Avalanche
  { kind: 'too_wide', pattern: /requested too many blocks .*maximum is set to (?<blocks>\d+)/i },
  // proxyd, in front of OP Stack nodes
  { kind: 'too_wide', pattern: /block range greater than (?<blocks>\d+)/i },
  // Cosmos chains, Ankr
  { kind: 'too_wide', pattern: /blocks distance: (?<blocks>\d+)/i },
  // Coinbase
  { kind: 'too_wide', pattern: /limit the query to at most (?<blocks>\d+) blocks/i },
  // Blast, paid
  { kind: 'too_wide', pattern: /range allowed for your plan \(\d+ > (?<blocks>\d+)\)/i },
  // Hedera: at most 7 days between the blocks
  { kind: 'too_wide', pattern: /timestamps that exceed the maximum allowed duration/i },
  // Somnia
  { kind: 'too_wide', pattern: /block range exceeds (?<blocks>\d+)/i },
  // Harmony
  { kind: 'too_wide', pattern: /query must be smaller than size (?<blocks>\d+)/i },
  // Besu
  { kind: 'too_wide', pattern: /exceeds maximum RPC range limit/i },
  // Chainstack, Altitude
  { kind: 'too_wide', pattern: /block range (?:limit|threshold) exceeded/i },
  // Scroll
  { kind: 'too_wide', pattern: /block range is bigger than/i },
  // Ankr, Optimism, Monad, Base
  { kind: 'too_wide', pattern: /range (?:is )?too (?:large|wide|high|big)/i },
  // geth, Erigon
  { kind: 'too_many_values', pattern: /exceeds? (?:max|the maximum of (?<values>\d+)) (?:addresses or )?topics/i },
  // Infura
  { kind: 'too_many_values', pattern: /query contains \d+ filters\. The current limit is (?<values>\d+)/i },
  // PublicNode
  { kind: 'too_many_values', pattern: /less number of address/i },
]

function limits(groups: Record<string, string | undefined> | undefined): Pick<RangeRefusal, 'blocks' | 'values'> {
  const { blocks, values } = groups ?? {}
  return { ...(blocks && { blocks: toCount(blocks) }), ...(values && { values: toCount(values) }) }
}

/** `10,000`, `1k` */
function toCount(text: string): number {
  return Number(text.replaceAll(/[,k]/gi, '')) * (/k$/i.test(text) ? 1000 : 1)
}

/** Alchemy: `range should work: [0x0, 0xff]`. Infura, zkSync Era: `range [0x0, 0xff]`. reth: `range 0-255`. */
const suggested = /range (?:should work: )?\[?(?<from>0x[\da-f]+|\d+)(?:, ?|-)(?<to>0x[\da-f]+|\d+)/i

function suggestion(message: string): Pick<RangeRefusal, 'suggested'> {
  const { from, to } = suggested.exec(message)?.groups ?? {}
  const range = { from: Number(from), to: Number(to) }
  return range.from <= range.to && Number.isSafeInteger(range.to) ? { suggested: range } : {}
}
