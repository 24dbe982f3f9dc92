import { BlockPrunedError, InvalidAnswerError, RpcError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { answerIfAny, type Rpc, type RpcRequest } from '../rpc/rpc.ts'
import { type BlockName, checkBlock, checkHeader } from './check-block.ts'
import type { ConfirmEmpty } from './confirm-empty.ts'
import type { CountTransactions } from './count-transactions.ts'
import type { RpcBlock, RpcHeader } from './rpc-block.ts'

/** A block, the endpoint that it came from, and the length of the answer that it came in. */
export interface FetchedBlock {
  readonly block: RpcBlock
  readonly endpoint: RpcEndpoint
  readonly length: number
}

/** What is checked of a block beyond what always is. */
export interface BlockChecks {
  /** Throws where the block cannot be believed. */
  readonly check?: ((block: RpcBlock) => void) | undefined
  /** Asks the same endpoint, side by side with the block, how many transactions it has to hold. */
  readonly count?: CountTransactions | undefined
  /** Is asked where a block holds none and was not counted. */
  readonly confirmEmpty: ConfirmEmpty
}

/**
 * Asks for a block with its transactions, until the answer can be believed.
 *
 * @throws {BlockPrunedError}
 */
export function fetchBlock(
  rpc: Rpc,
  number: number,
  checks: BlockChecks,
  { avoid, signal }: Pick<RpcRequest<FetchedBlock>, 'avoid' | 'signal'>,
): Promise<FetchedBlock> {
  return rpc.request({
    what: method,
    async send(endpoint, signal) {
      try {
        return await fetchFrom(endpoint, number, checks, signal)
      } catch (error) {
        throw isPruned(error) ? new BlockPrunedError(number) : error
      }
    },
    avoid,
    signal,
  })
}

/** Asks for a block's header, until the answer can be believed. */
export function fetchHeader(rpc: Rpc, name: BlockName, signal: AbortSignal): Promise<RpcHeader> {
  return rpc.call({
    method,
    params: [blockParameter(name), false],
    read: (answer) => checkHeader(answer, name),
    signal,
  })
}

/** What each endpoint says of a block, in their order: its header, `null` where it has none, `undefined` without answer. */
export type HeaderOfEach = ReadonlyMap<string, RpcHeader | null | undefined>

/** Asks each endpoint once for a block's header. An answer that cannot be believed is none. */
export async function fetchHeaderOfEach(rpc: Rpc, name: BlockName, signal: AbortSignal): Promise<HeaderOfEach> {
  const replies = await rpc.callEach({
    method,
    params: [blockParameter(name), false],
    read: (answer) => (answer === null ? null : checkHeader(answer, name)),
    signal,
  })
  return new Map(replies.map((reply) => [reply.endpoint, reply.kind === 'answered' ? reply.answer : undefined]))
}

/** Which of the blocks of a number is meant: that with a hash, or the one that follows another, but not a certain one. */
export type BlockIdentity =
  | { readonly hash: string }
  | { readonly parentHash: string; readonly except: string | undefined }

export function isBlock(block: RpcHeader, identity: BlockIdentity): boolean {
  if ('hash' in identity) return block.hash === identity.hash
  return block.parentHash === identity.parentHash && block.hash !== identity.except
}

/** Asks each node once for one of the blocks of a number; `undefined` where none that answers has it. */
export async function findBlock(
  rpc: Rpc,
  number: number,
  { identity, check, ...checks }: BlockChecks & { readonly identity: BlockIdentity },
  signal: AbortSignal,
): Promise<FetchedBlock | undefined> {
  const checkIt = (block: RpcBlock) => {
    if (!isBlock(block, identity)) throw new InvalidAnswerError(`block ${number}`, 'it is of another branch')
    check?.(block)
  }
  const asking = rpc.request({
    what: method,
    send: (endpoint, signal) => fetchFrom(endpoint, number, { ...checks, check: checkIt }, signal),
    onceEach: true,
    signal,
  })
  return answerIfAny(asking, signal)
}

const method = 'eth_getBlockByNumber'

async function fetchFrom(
  endpoint: RpcEndpoint,
  number: number,
  { check, count, confirmEmpty }: BlockChecks,
  signal: AbortSignal,
): Promise<FetchedBlock> {
  const counting = count?.(endpoint, number, signal)
  // Of a block that is not there, that is told, and not what came of counting it.
  counting?.catch(() => {})
  const { result, length } = await endpoint.send({ method, params: [blockParameter(number), true] }, signal)
  const block = checkBlock(result, number)
  check?.(block)
  const { length: held } = block.transactions
  const counted = await counting
  if (counted === undefined) await confirmEmpty(endpoint, block, signal)
  else if (counted !== held)
    throw new InvalidAnswerError(`block ${number}`, `it holds ${held} transactions of ${counted}`)
  return { block, endpoint, length }
}

/** `pruned history unavailable` of nodes that keep no blocks of long ago (EIP-4444). */
const prunedCode = 4444

function isPruned(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === prunedCode
}

function blockParameter(name: BlockName): string {
  return typeof name === 'number' ? `0x${name.toString(16)}` : name
}
