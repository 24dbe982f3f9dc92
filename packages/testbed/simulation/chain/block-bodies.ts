import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import type { RpcReceipt, RpcTransaction } from '../../../evm/src/index.ts'
import { trieRoot } from '../../../evm/src/verify/trie-root.ts'
import { encodeReceipt } from '../../../evm/src/verify/verify-receipts.ts'
import { encodeTransaction } from '../../../evm/src/verify/verify-roots.ts'
import { quantity } from '../../chain/json-rpc.ts'
import { type RecordedBlock, recordingFile } from '../../recorded-chain/recording.ts'
import { type BlockTemplates, createBlockTemplates } from '../../recorded-chain/replayed-chain.ts'

/** A block without its position in a chain: transactions, their receipts, and a header with the roots of both. */
export interface BlockBody {
  readonly recorded: RecordedBlock
  readonly templates: BlockTemplates
}

/** Number of different bodies. */
export const bodyCount = 240
/** Number of transactions of the bodies, in turn. */
const sizes = [2, 0, 3, 1, 5, 1, 0, 4]

const slices = sliceRecording()
const made: BlockBody[] = []

/** The same number gives the same body in every process. Different bodies have no transaction in common. */
export function blockBody(number: number): BlockBody {
  const index = number % bodyCount
  made[index] ??= makeBody(slices[index]!)
  return made[index]
}

/** A recorded block and the range of its transactions to use. */
interface Slice extends RecordedBlock {
  readonly from: number
  readonly to: number
}

function sliceRecording(): readonly Slice[] {
  const lines = brotliDecompressSync(readFileSync(recordingFile)).toString().trimEnd().split('\n')
  const slices: Slice[] = []
  for (const line of lines) {
    const recorded = JSON.parse(line) as RecordedBlock
    const { length } = recorded.receipts
    for (let from = 0; from < length && slices.length < bodyCount; ) {
      const to = Math.min(length, from + sizes[slices.length % sizes.length]!)
      slices.push({ ...recorded, from, to })
      from = to
    }
  }
  return slices
}

function makeBody({ block, receipts, from, to }: Slice): BlockBody {
  const transactions = block.transactions.slice(from, to).map(placed)
  const own = renumbered(receipts.slice(from, to))
  const recorded: RecordedBlock = {
    block: {
      ...block,
      transactions,
      transactionsRoot: trieRoot(transactions.map(encodeTransaction)),
      receiptsRoot: trieRoot(own.map(encodeReceipt)),
      gasUsed: own.at(-1)?.cumulativeGasUsed ?? '0x0',
    },
    receipts: own,
  }
  return { recorded, templates: createBlockTemplates(recorded) }
}

function placed(transaction: RpcTransaction, index: number): RpcTransaction {
  return { ...transaction, transactionIndex: quantity(index) }
}

function renumbered(receipts: readonly RpcReceipt[]): readonly RpcReceipt[] {
  let gas = 0
  let logIndex = 0
  return receipts.map((receipt, index) => {
    gas += Number(receipt.gasUsed)
    const transactionIndex = quantity(index)
    const logs = receipt.logs.map((log) => ({ ...log, transactionIndex, logIndex: quantity(logIndex++) }))
    return { ...receipt, transactionIndex, cumulativeGasUsed: quantity(gas), logs }
  })
}
