import { readFile } from 'node:fs/promises'
import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidRecordingError } from '../errors.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'

/** A stretch of a chain, as a node gave it. */
export interface Recording {
  /** EIP-155. */
  readonly chainId: number
  /** Number of the block that the node calls `finalized`. Without it there is none. */
  readonly finalized?: number
  /** At least one, each the child of the one before. */
  readonly blocks: readonly RecordedBlock[]
}

export interface RecordedBlock {
  readonly block: RpcBlock
  /** One for each transaction, in order. Without them they cannot be read: settings `receipts` and `logs` need them. */
  readonly receipts?: readonly RpcReceipt[]
}

/**
 * Reads a recording from a JSON file.
 *
 * @throws {InvalidRecordingError} the file is not there or holds none.
 *
 * @example
 * ```ts
 * const { blocks } = await readRecording(new URL('../recorded/blocks.json', import.meta.url))
 * ```
 */
export async function readRecording(file: string | URL): Promise<Recording> {
  const recording = await readJson(file)
  const mistake = findMistake(recording)
  if (mistake) throw new InvalidRecordingError(file, mistake)
  return recording as Recording
}

async function readJson(file: string | URL): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new InvalidRecordingError(file, (error as Error).message)
  }
}

/** What its answers are made of. What blocks themselves hold is checked when they are read, as that of any node. */
function findMistake(value: unknown): string | undefined {
  const { chainId, blocks } = Object(value) as Partial<Recording>
  if (!Number.isSafeInteger(chainId)) return '"chainId" is no number'
  if (!Array.isArray(blocks) || blocks.length === 0) return '"blocks" is no list of blocks'
  for (const [index, recorded] of blocks.entries()) {
    const place = `blocks[${index}]`
    const block = recorded?.block
    if (typeof block?.number !== 'string' || !Array.isArray(block.transactions)) {
      return `${place}.block is no block with a number and transactions`
    }
    const before: RpcBlock | undefined = blocks[index - 1]?.block
    if (!before) continue
    if (Number(block.number) !== Number(before.number) + 1) return `${place} does not have the number that comes next`
    if (block.parentHash !== before.hash) return `${place} does not follow the block before: its parentHash is another`
  }
  return undefined
}
