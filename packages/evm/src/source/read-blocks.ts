import { fetchInOrder } from '@headrace/sdk'
import type { RpcBlock } from '../block/rpc-block.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { ConnectHttp } from '../rpc/http-connection.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockSource, EvmSettings, Log } from './block-source.ts'
import { createFetchUnit, type FetchedUnit } from './fetch-unit.ts'
import { type ChainPlace, readChain, type UnitReader } from './read-chain.ts'

/** A unit without its messages: a block and its checkpoint. */
export interface BlockStep extends ChainPlace {
  readonly block: RpcBlock
  /** One for each transaction, in order. Empty without settings `receipts` and `logs`. */
  readonly receipts: readonly RpcReceipt[]
}

/** In characters. In memory, answers take a few times as much. */
const aheadLength = 8 << 20

/**
 * Reads a chain block by block after `history()[0]`, or from `start`. Each block's parent is the block before it. After
 * a reorganisation the first block of the new branch has `revertTo`.
 *
 * Ends after block `end`, or follows the head indefinitely. Throws the reason of `signal` when it is aborted.
 *
 * @throws {ChainChangedError} the nodes serve another chain than the published one.
 * @throws {RetryableError} no node could be reached, or none gave a valid answer.
 * @throws {UserError} the settings are invalid, or the nodes refuse this client.
 *
 * @param connect How the nodes are reached. Default: over HTTP.
 */
export async function* readBlocks(
  settings: EvmSettings,
  source: BlockSource,
  connect?: ConnectHttp,
): AsyncGenerator<BlockStep, void, undefined> {
  const createReader = (rpc: Rpc) => createBlockReader(rpc, settings, source.log)
  for await (const { unit, place } of readChain({ settings, source, connect, createReader }))
    yield { block: unit.block, receipts: unit.receipts, ...place }
}

function createBlockReader(rpc: Rpc, settings: EvmSettings, log: Log): UnitReader<FetchedUnit> {
  const unit = createFetchUnit(rpc, settings, log)
  return {
    range: ({ from, last, newFrom }, signal) =>
      fetchInOrder({
        ...{ from, to: last, signal },
        fetch: (number, signal) => unit.at(number, { isNew: number >= newFrom, signal }),
        width: () => rpc.width,
        maxBytes: aheadLength,
        sizeOf: ({ length }: FetchedUnit) => length,
      }),
    find: unit.find,
  }
}
