import { RetryableError } from '@headrace/sdk'
import { checkBlockMapping, checkReceiptMapping } from '../block/check-mapping.ts'
import { createConfirmEmpty } from '../block/confirm-empty.ts'
import { createCountTransactions } from '../block/count-transactions.ts'
import { type BlockIdentity, type FetchedBlock, fetchBlock, findBlock } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { ContradictedBlockError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type CheckReceipts, createFetchReceipts } from '../receipt/fetch-receipts.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { verifyReceipts } from '../verify/verify-receipts.ts'
import { verifyRoots } from '../verify/verify-roots.ts'
import type { EvmSettings } from './settings.ts'

/** A block with all that is published of it. */
export interface FetchedUnit {
  readonly block: RpcBlock
  /** One for each transaction, in order. Empty where they are not asked for. */
  readonly receipts: readonly RpcReceipt[]
  /** Length of the answers that it came in. */
  readonly length: number
}

export interface FetchUnit {
  /**
   * Asks for the block of a number until it can be believed. The first one is also checked for what cannot be mapped: where
   * a source has failed with it, it begins with it anew.
   *
   * @param options.isNew Whether nodes may only just have it: where nothing else proves that it holds all of its
   *   transactions, they are asked how many it has.
   */
  at(number: number, options: { readonly isNew: boolean; readonly signal: AbortSignal }): Promise<FetchedUnit>
  /** Asks each node once for one of the blocks of a number; `undefined` where none that answers has it. */
  find(number: number, identity: BlockIdentity, signal: AbortSignal): Promise<FetchedUnit | undefined>
}

/** How often a block is fetched, at most, that no receipts agree with. */
const mostRejections = 4

/** What is checked beyond what always is. */
interface UnitChecks {
  readonly block?: (block: RpcBlock) => void
  readonly receipts?: CheckReceipts
}

export function createFetchUnit(rpc: Rpc, { verify, receipts, logs }: EvmSettings, log: Log): FetchUnit {
  const roots: UnitChecks = verify === 'roots' ? { block: verifyRoots, receipts: verifyReceipts } : {}
  const rootsAndMapping = withMapping(roots)
  const fetchReceipts = receipts || logs ? createFetchReceipts(rpc) : undefined
  const countTransactions = createCountTransactions(log)
  const confirmEmpty = createConfirmEmpty(countTransactions)
  const count = verify === 'roots' || fetchReceipts ? undefined : countTransactions
  let hasBegun = false

  /**
   * Where another block has taken its place before its receipts were there, that one is fetched. A block that no endpoint's
   * receipts agree with may lack transactions: it is fetched elsewhere, and the endpoint that gave it rests.
   */
  async function complete(
    fetch: (avoid: RpcEndpoint | undefined) => Promise<FetchedBlock | undefined>,
    { receipts: check }: UnitChecks,
    signal: AbortSignal,
  ): Promise<FetchedUnit | undefined> {
    let missing: string | undefined
    let rejected: RpcEndpoint | undefined
    for (let rejections = 0; ; ) {
      const found = await fetch(rejected)
      if (!found || !fetchReceipts) return found && { ...found, receipts: [] }
      const { block, endpoint, length } = found
      const onceEach = block.hash !== missing
      try {
        const fetched = await fetchReceipts(block, { check, blockFrom: endpoint, onceEach, signal })
        return { block, receipts: fetched.receipts, length: length + fetched.length }
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

/** Of each block it would take as long as mapping does. */
function withMapping(checks: UnitChecks): UnitChecks {
  return {
    block(block) {
      checks.block?.(block)
      checkBlockMapping(block)
    },
    receipts(receipts, block) {
      checks.receipts?.(receipts, block)
      checkReceiptMapping(receipts, block)
    },
  }
}
