import { readFile } from 'node:fs/promises'
import type { RpcBlock } from '../block/rpc-block.ts'
import { InvalidRecordingError } from '../errors.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import { keccakHex } from '../verify/trie-root.ts'

/** Consecutive blocks of a chain, as returned by a node. */
export interface Recording {
  /** EIP-155. */
  readonly chainId: number
  /** Number of the `finalized` block. Without it there is none. */
  readonly finalized?: number
  /** At least one, each the child of the one before. */
  readonly blocks: readonly RecordedBlock[]
}

export interface RecordedBlock {
  readonly block: RpcBlock
  /** One for each transaction, in order. Required for settings `receipts` and `logs`. */
  readonly receipts?: readonly RpcReceipt[]
}

/** @throws {InvalidRecordingError} the file is not there or has none. */
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

/** The content of blocks is checked when they are read. */
function findMistake(value: unknown): string | undefined {
  const { chainId, blocks } = Object(value) as Partial<Recording>
  if (!Number.isSafeInteger(chainId)) return '"chainId" is not a number'
  if (!Array.isArray(blocks) || blocks.length === 0) return '"blocks" is not a list of blocks'
  for (const [index, recorded] of blocks.entries()) {
    const place = `blocks[${index}]`
    const block = recorded?.block
    if (typeof block?.number !== 'string' || !Array.isArray(block.transactions)) {
      return `${place}.block is not a block with a number and transactions`
    }
    const before: RpcBlock | undefined = blocks[index - 1]?.block
    if (!before) continue
    if (Number(block.number) !== Number(before.number) + 1) return `${place} does not have the next number`
    if (block.parentHash !== before.hash) return `${place} has a parentHash other than the hash of the block before it`
  }
  return undefined
}

/** The newest `depth` blocks have the same transactions and other hashes. `recording` is not changed. */
export function reorganise(recording: Recording, depth: number): Recording {
  const kept = recording.blocks.slice(0, -depth)
  const replaced = recording.blocks.slice(-depth)
  let text = JSON.stringify(replaced)
  for (const { block } of replaced)
    text = text.replaceAll(block.hash, keccakHex(Buffer.from(block.hash.slice(2), 'hex')))
  return { ...recording, blocks: [...kept, ...JSON.parse(text)] }
}
