import { readCount } from '../block/count-transactions.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { ContradictedBlockError } from '../errors.ts'
import { toNumber, toUint64 } from '../quantity/quantity.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import type { RpcReceipt } from './rpc-receipt.ts'

/**
 * Whether the receipts of a block account for all gas that it used: then none of its transactions is missing. Chains whose
 * nodes do not add it up tell of none.
 */
export function isWhole(receipts: readonly RpcReceipt[], { gasUsed }: RpcBlock): boolean {
  const counted = toUint64(receipts.at(-1)?.cumulativeGasUsed)
  return counted === 0n || gasUsed === undefined || gasUsed === null || counted === toUint64(gasUsed)
}

/**
 * Asks how many transactions a block has. Some chains use gas for more than what is published (Tendermint), so gas that no
 * receipt accounts for proves nothing by itself.
 *
 * @throws {ContradictedBlockError} some are missing.
 */
export async function confirmCount(
  rpc: Rpc,
  { number, hash, transactions }: RpcBlock,
  options: Pick<RpcRequest<unknown>, 'onceEach' | 'avoid' | 'signal'>,
): Promise<void> {
  const count = await rpc.call({
    ...options,
    method: 'eth_getBlockTransactionCountByHash',
    params: [hash],
    read: (result) => readCount(result, toNumber(number)),
  })
  if (count !== transactions.length)
    throw new ContradictedBlockError(
      `block ${toNumber(number)}`,
      `it holds ${transactions.length} transactions of ${count}`,
    )
}
