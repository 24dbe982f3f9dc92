import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidAnswerError } from '../errors.ts'
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
 * @throws {InvalidAnswerError} some are missing.
 */
export async function confirmCount(
  rpc: Rpc,
  { number, hash, transactions }: RpcBlock,
  options: Pick<RpcRequest<unknown>, 'onceEach' | 'signal'>,
): Promise<void> {
  await rpc.call({
    ...options,
    method: 'eth_getBlockTransactionCountByHash',
    params: [hash],
    read(count) {
      if (typeof count === 'string' && toNumber(count) === transactions.length) return
      const difference = `it holds ${transactions.length} transactions, which do not use the gas that the block has used`
      throw new InvalidAnswerError(`block ${toNumber(number)}`, difference)
    },
  })
}
