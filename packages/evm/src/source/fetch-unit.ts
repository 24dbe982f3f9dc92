import { RetryableError } from '@headrace/sdk'
import { toBlock } from '../block/block.ts'
import { createConfirmEmpty, createCountTransactions } from '../block/count-transactions.ts'
import { type BlockIdentity, type FetchedBlock, fetchBlock, findBlock } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { ContradictedBlockError } from '../errors.ts'
import { type CheckReceipts, createFetchReceipts } from '../receipt/fetch-receipts.ts'
import { toLogs } from '../receipt/log.ts'
import { toReceipt } from '../receipt/receipt.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { toTransaction } from '../transaction/transaction.ts'
import { verifyReceipts } from '../verify/verify-receipts.ts'
import { verifyRoots } from '../verify/verify-roots.ts'
import type { EvmSettings, Log } from './block-source.ts'
import type { ChainUnit } from './read-chain.ts'

export interface FetchedUnit extends ChainUnit {
  readonly block: RpcBlock
  /** One for each transaction, in order. Empty if they are not requested. */
  readonly receipts: readonly RpcReceipt[]
  readonly length: number
}

export interface FetchUnit {
  /**
   * @param options.isNew Whether nodes may lack a part of the block. Unless something else proves that all transactions
   *   are there, they are counted.
   */
  at(number: number, options: { readonly isNew: boolean; readonly signal: AbortSignal }): Promise<FetchedUnit>
  /** Asks each node once; `undefined` if no node has the block. */
  find(number: number, identity: BlockIdentity, signal: AbortSignal): Promise<FetchedUnit | undefined>
}

const mostRejections = 4

interface UnitChecks {
  readonly block: (block: RpcBlock) => void
  readonly receipts: CheckReceipts
}

export function createFetchUnit(rpc: Rpc, { verify, receipts, logs }: EvmSettings, log: Log): FetchUnit {
  const roots = createChecks(verify, false)
  const rootsAndMapping = createChecks(verify, true)
  const fetchReceipts = receipts || logs ? createFetchReceipts(rpc) : undefined
  const countTransactions = createCountTransactions(log)
  const confirmEmpty = createConfirmEmpty(countTransactions)
  const count = verify === 'roots' || fetchReceipts ? undefined : countTransactions
  let hasBegun = false

  /** Fetches again if the block was replaced before its receipts were fetched, or contradicts all receipts. */
  async function complete(
    fetch: (avoid: RpcEndpoint | undefined) => Promise<FetchedBlock | undefined>,
    { receipts: check }: UnitChecks,
    signal: AbortSignal,
  ): Promise<FetchedUnit | undefined> {
    let missing: string | undefined
    let rejected: RpcEndpoint | undefined
    for (let rejections = 0; ; ) {
      const found = await fetch(rejected)
      if (!found) return undefined
      const { block, endpoint, length } = found
      const { hash, parentHash } = block
      if (!fetchReceipts) return { hash, parentHash, block, receipts: [], length }
      const onceEach = block.hash !== missing
      try {
        const fetched = await fetchReceipts(block, { check, blockFrom: endpoint, onceEach, signal })
        return { hash, parentHash, block, receipts: fetched.receipts, length: length + fetched.length }
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ContradictedBlockError && ++rejections < mostRejections) {
          rpc.reject(endpoint, error)
          rejected = endpoint
        } else if (!onceEach || !(error instanceof RetryableError)) throw error
        else missing = block.hash
      }
    }
  }

  return {
    async at(number, { isNew, signal }) {
      const checks = isNew || !hasBegun ? rootsAndMapping : roots
      hasBegun = true
      const ofBlock = { check: checks.block, confirmEmpty, ...(isNew && { count }) }
      return (await complete((avoid) => fetchBlock(rpc, number, ofBlock, { avoid, signal }), checks, signal))!
    },
    find(number, identity, signal) {
      const ofBlock = { check: rootsAndMapping.block, confirmEmpty, count, identity }
      return complete(() => findBlock(rpc, number, ofBlock, signal), rootsAndMapping, signal)
    },
  }
}

/** `withMapping` only for some blocks, because it takes as long as mapping. */
function createChecks(verify: EvmSettings['verify'], withMapping: boolean): UnitChecks {
  return {
    block(block) {
      if (verify === 'roots') verifyRoots(block)
      if (withMapping) checkBlockMapping(block)
    },
    receipts(receipts, block) {
      if (verify === 'roots') verifyReceipts(receipts, block)
      if (withMapping) checkReceiptMapping(receipts, block)
    },
  }
}

export function checkBlockMapping(block: RpcBlock): void {
  const message = toBlock(block)
  for (const transaction of block.transactions) toTransaction(transaction, message)
}

export function checkReceiptMapping(receipts: readonly RpcReceipt[], block: RpcBlock): void {
  const message = toBlock(block)
  for (const receipt of receipts) {
    toReceipt(receipt, message)
    toLogs(receipt, message)
  }
}
