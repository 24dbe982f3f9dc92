import { traceStep } from '@headrace/sdk'
import { BlockPrunedError, BlockUnavailableError, InvalidAnswerError, RpcError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { answerIfAny, type Rpc, type RpcRequest } from '../rpc/rpc.ts'
import type { EncodedBlock } from '../transcoding/block-encoder.ts'
import type { Encoders } from '../transcoding/encoders.ts'
import { type BlockName, checkHeader } from './check-block.ts'
import type { ConfirmEmpty, CountTransactions } from './count-transactions.ts'
import type { RpcHeader } from './rpc-block.ts'

export interface FetchedBlock {
  readonly block: EncodedBlock
  readonly endpoint: RpcEndpoint
}

export interface BlockChecks {
  readonly encode: Encoders['block']
  readonly check?: ((block: EncodedBlock) => void) | undefined
  /** At the endpoint of the block, concurrently. */
  readonly count?: CountTransactions | undefined
  readonly confirmEmpty: ConfirmEmpty
}

/** @throws {BlockPrunedError} */
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

export function fetchHeader(rpc: Rpc, name: BlockName, signal: AbortSignal): Promise<RpcHeader> {
  return rpc.call({
    method,
    params: [blockParameter(name), false],
    read: (answer) => checkHeader(answer, name),
    signal,
  })
}

/** In the order of the endpoints. `null`: no such block. `undefined`: no valid answer. */
export type HeaderOfEach = ReadonlyMap<string, RpcHeader | null | undefined>

export async function fetchHeaderOfEach(rpc: Rpc, name: BlockName, signal: AbortSignal): Promise<HeaderOfEach> {
  const replies = await rpc.callEach({
    method,
    params: [blockParameter(name), false],
    read: (answer) => (answer === null ? null : checkHeader(answer, name)),
    signal,
  })
  return new Map(replies.map((reply) => [reply.endpoint, reply.kind === 'answered' ? reply.answer : undefined]))
}

/** By hash, or as a child of `parentHash` other than `except`. */
export type BlockIdentity =
  | { readonly hash: string }
  | { readonly parentHash: string; readonly except: string | undefined }

export function isBlock(block: Pick<RpcHeader, 'hash' | 'parentHash'>, identity: BlockIdentity): boolean {
  if ('hash' in identity) return block.hash === identity.hash
  return block.parentHash === identity.parentHash && block.hash !== identity.except
}

/** Asks each node once; `undefined` if no node that answers has the block. */
export async function findBlock(
  rpc: Rpc,
  number: number,
  { identity, check, ...checks }: BlockChecks & { readonly identity: BlockIdentity },
  signal: AbortSignal,
): Promise<FetchedBlock | undefined> {
  const checkIt = (block: EncodedBlock) => {
    if (!isBlock(block, identity)) throw new InvalidAnswerError(`block ${number}`, 'it is on another branch')
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
  { encode, check, count, confirmEmpty }: BlockChecks,
  signal: AbortSignal,
): Promise<FetchedBlock> {
  const counting = count?.(endpoint, number, signal)
  // The error about the block is reported, not that of the count.
  counting?.catch(() => {})
  const json = await endpoint.sendForJson({ method, params: [blockParameter(number), true] }, signal)
  if (json.length === 4 && json.toString() === 'null') throw new BlockUnavailableError(number)
  const block = await traceStep('headrace.check', async () => {
    const encoded = await encode(json, number)
    check?.(encoded)
    return encoded
  })
  const held = block.hashes.length
  const counted = await counting
  if (counted === undefined) await confirmEmpty(endpoint, block, signal)
  else if (counted !== held)
    throw new InvalidAnswerError(`block ${number}`, `it has ${held} of ${counted} transactions`)
  return { block, endpoint }
}

/** `pruned history unavailable` (EIP-4444). */
const prunedCode = 4444

function isPruned(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === prunedCode
}

function blockParameter(name: BlockName): string {
  return typeof name === 'number' ? `0x${name.toString(16)}` : name
}
