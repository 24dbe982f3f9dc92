import { availableParallelism } from 'node:os'
import { RetryableError } from '@headrace/sdk'
import { createConfirmEmpty, createCountTransactions } from '../block/count-transactions.ts'
import { type BlockIdentity, type FetchedBlock, fetchBlock, findBlock } from '../block/fetch-block.ts'
import { ContradictedBlockError } from '../errors.ts'
import { createFetchReceipts } from '../receipt/fetch-receipts.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { EncodedBlock } from '../transcoding/block-encoder.ts'
import { declareBlockMessages } from '../transcoding/block-messages.ts'
import { createEncoderThread } from '../transcoding/encoder-thread.ts'
import { createEncoders, type Encoders } from '../transcoding/encoders.ts'
import type { EncodedReceipts } from '../transcoding/receipt-encoder.ts'
import { verifyReceipts } from '../verify/verify-receipts.ts'
import { verifyRoots } from '../verify/verify-roots.ts'
import type { BlockSource, EvmSettings } from './block-source.ts'
import type { ChainUnit } from './read-chain.ts'

export interface FetchedUnit extends ChainUnit {
  readonly block: EncodedBlock
  /** `undefined`: they are not requested. */
  readonly receipts: EncodedReceipts | undefined
}

export interface FetchUnit {
  /**
   * @param options.isNew Whether nodes may lack a part of the block. Unless something else proves that all transactions
   *   are there, they are counted.
   */
  at(number: number, options: { readonly isNew: boolean; readonly signal: AbortSignal }): Promise<FetchedUnit>
  /** Asks each node once; `undefined` if no node has the block. */
  find(number: number, identity: BlockIdentity, signal: AbortSignal): Promise<FetchedUnit | undefined>
  close(): void
}

export interface FetchUnitSource extends Pick<BlockSource, 'descriptor' | 'log'> {
  /** Whether blocks are encoded in a thread while many are read. Default: if there is more than one core. */
  readonly usesThread?: boolean
}

const mostRejections = 4
/** Consecutive blocks that are not new, after which encoding in a thread saves more than starting it costs. */
const fewBlocks = 64

/**
 * @throws {UserError} `schema_mismatch`: the .proto declares a field that blocks do not have, or another type of one.
 */
export function createFetchUnit(
  rpc: Rpc,
  settings: EvmSettings,
  { descriptor, log, usesThread = availableParallelism() > 1 }: FetchUnitSource,
): FetchUnit {
  const { verify, receipts, logs } = settings
  const declared = declareBlockMessages(descriptor, settings)
  const here = createEncoders(declared)
  const thread = usesThread ? createEncoderThread(declared) : { ...here, close() {} }
  let encoded = 0
  /** In the thread while many blocks are read, and here at the head. */
  const encoders = (): Encoders => (encoded > fewBlocks ? thread : here)
  const fetchReceipts =
    receipts || logs ? createFetchReceipts(rpc, (json, block) => encoders().receipts(json, block)) : undefined
  const countTransactions = createCountTransactions(log)
  const count = verify === 'roots' || fetchReceipts ? undefined : countTransactions
  const checks = {
    encode: (json: Buffer, asked: number) => encoders().block(json, asked),
    confirmEmpty: createConfirmEmpty(countTransactions),
    ...(verify === 'roots' && { check: checkRoots }),
  }

  /** Fetches again if the block was replaced before its receipts were fetched, or contradicts all receipts. */
  async function complete(
    fetch: (avoid: RpcEndpoint | undefined) => Promise<FetchedBlock | undefined>,
    signal: AbortSignal,
  ): Promise<FetchedUnit | undefined> {
    let missing: string | undefined
    let rejected: RpcEndpoint | undefined
    for (let rejections = 0; ; ) {
      const found = await fetch(rejected)
      if (!found) return undefined
      const { block, endpoint } = found
      const { hash, parentHash } = block
      if (!fetchReceipts) return { hash, parentHash, block, receipts: undefined }
      const onceEach = hash !== missing
      try {
        const check = verify === 'roots' ? checkReceiptRoots : undefined
        const receipts = await fetchReceipts(block, { check, blockFrom: endpoint, onceEach, signal })
        return { hash, parentHash, block, receipts }
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ContradictedBlockError && ++rejections < mostRejections) {
          rpc.reject(endpoint, error)
          rejected = endpoint
        } else if (!onceEach || !(error instanceof RetryableError)) throw error
        else missing = hash
      }
    }
  }

  return {
    async at(number, { isNew, signal }) {
      encoded = isNew ? 0 : encoded + 1
      const ofBlock = { ...checks, ...(isNew && { count }) }
      return (await complete((avoid) => fetchBlock(rpc, number, ofBlock, { avoid, signal }), signal))!
    },
    find: (number, identity, signal) =>
      complete(() => findBlock(rpc, number, { ...checks, count, identity }, signal), signal),
    close: thread.close,
  }
}

function checkRoots({ json }: EncodedBlock): void {
  verifyRoots(parse(json))
}

function checkReceiptRoots(receipts: EncodedReceipts, block: EncodedBlock): void {
  verifyReceipts(parse(receipts.json), parse(block.json))
}

function parse<T>(json: Buffer): T {
  return JSON.parse(json.toString())
}
