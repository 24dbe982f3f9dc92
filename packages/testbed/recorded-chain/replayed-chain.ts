import { type AnswerTemplate, createAnswerTemplate, type Identity } from './answer-template.ts'
import { createSelectLogs, type LogFilter, type SelectedLogs, type SelectLogs } from './block-logs.ts'
import type { RecordedBlock } from './recording.ts'
import { createHashes, type Hashed, parseHash } from './replayed-hash.ts'

/** A block among those of all branches. */
export interface BlockPlace {
  readonly number: number
  readonly branch: number
}

export interface ReplayedChainOptions {
  /** Repeated as often as needed. */
  readonly recorded: readonly RecordedBlock[]
  /** Number of the newest block at the start. */
  readonly head: number
  /** Distance of the final block from the head. Default 64. */
  readonly finalDepth?: number
  /** Default 31337. */
  readonly chainId?: number
}

/** The chain as a node serves it. */
export interface ChainView {
  readonly chainId: number
  readonly head: number
  /** Number of the newest block that cannot be reverted. It never decreases. */
  readonly final: number
  /** The block of a number; `undefined` above the head. */
  at(number: number): BlockPlace | undefined
  /** The block or the transaction with a hash, of any branch; `undefined` if no branch has it. */
  find(hash: string): Hashed | undefined
  /** Whether a block is canonical now. */
  holds(block: BlockPlace): boolean
  /** The block as a node returns it. */
  read(block: BlockPlace): RecordedBlock
  /** JSON of the block with whole transactions (`block`) or their hashes (`header`), or of its receipts. */
  json(block: BlockPlace, part: BlockPart): Buffer
  receiptJson(block: BlockPlace, index: number): Buffer
  transactionCount(block: BlockPlace): number
  /** The selected logs of the block, in order. */
  logs(block: BlockPlace, filter: LogFilter): SelectedLogs
}

/**
 * A chain of any length from block 0 on. Its blocks are recorded ones with other numbers, times, hashes and parents, which
 * are computed from number and branch, so that no block is stored.
 */
export interface ReplayedChain extends ChainView {
  grow(blocks: number): void
  /** Replaces the newest `depth` blocks above the final one by as many others, less `fewer`. */
  reorganise(depth: number, fewer?: number): void
}

export type BlockPart = 'block' | 'header' | 'receipts'

const secondsPerBlock = 12
const genesisTime = 1_500_000_000
/** Each branch begins this number of recorded blocks later than the one before. */
const branchShift = 5

export function createReplayedChain(options: ReplayedChainOptions): ReplayedChain {
  const { finalDepth = 64, chainId = 31337 } = options
  const templates = options.recorded.map(createBlockTemplates)
  /** The first block of each canonical branch, in order. */
  let segments = [{ from: 0, branch: 0 }]
  let { head } = options
  let branches = 1
  let final = Math.max(0, head - finalDepth)

  const branchAt = (number: number): number => segments.findLast(({ from }) => from <= number)!.branch
  const templatesOf = ({ number, branch }: BlockPlace): BlockTemplates =>
    templates[(number + branch * branchShift) % templates.length]!
  const parentBranch = ({ number, branch }: BlockPlace): number => {
    const begins = segments.findIndex((segment) => segment.branch === branch && segment.from === number)
    return begins > 0 ? segments[begins - 1]!.branch : branch
  }
  const identityOf = (block: BlockPlace): Identity => {
    const { number } = block
    const hashes = createHashes(block)
    return {
      number,
      timestamp: genesisTime + number * secondsPerBlock,
      hash: hashes.block,
      parentHash: createHashes({ number: number - 1, branch: parentBranch(block) }).block,
      transactionHash: hashes.transaction,
    }
  }
  const json = (block: BlockPlace, part: BlockPart): Buffer => templatesOf(block)[part].fill(identityOf(block))
  const chain: ReplayedChain = {
    chainId,
    get head() {
      return head
    },
    get final() {
      return final
    },
    at: (number) => (number <= head ? { number, branch: branchAt(number) } : undefined),
    find(hash) {
      const found = parseHash(hash)
      if (!found || found.number < 0) return undefined
      const { index } = found
      return index === undefined || index < templatesOf(found).transactions ? found : undefined
    },
    holds: ({ number, branch }) => number <= head && branchAt(number) === branch,
    read: (block) => ({
      block: JSON.parse(json(block, 'block').toString()),
      receipts: JSON.parse(json(block, 'receipts').toString()),
    }),
    json,
    receiptJson: (block, index) => templatesOf(block).receipt(index).fill(identityOf(block)),
    transactionCount: (block) => templatesOf(block).transactions,
    logs: (block, filter) => templatesOf(block).logs(filter, () => identityOf(block)),
    grow(blocks) {
      head += blocks
      final = Math.max(final, head - finalDepth)
    },
    reorganise(depth, fewer = 0) {
      const from = Math.max(final, head - depth) + 1
      segments = [...segments.filter((segment) => segment.from < from), { from, branch: branches++ }]
      head = Math.max(from - 1, head - fewer)
    },
  }
  return chain
}

/** The answers about a recorded block. */
export interface BlockTemplates extends Readonly<Record<BlockPart, AnswerTemplate>> {
  readonly transactions: number
  readonly logs: SelectLogs
  receipt(index: number): AnswerTemplate
}

export function createBlockTemplates(recorded: RecordedBlock): BlockTemplates {
  const { block, receipts } = recorded
  const ofReceipts = new Map<number, AnswerTemplate>()
  return {
    transactions: block.transactions.length,
    logs: createSelectLogs(recorded),
    block: createAnswerTemplate(block, recorded),
    header: createAnswerTemplate({ ...block, transactions: block.transactions.map(({ hash }) => hash) }, recorded),
    receipts: createAnswerTemplate(receipts, recorded),
    receipt(index) {
      const template = ofReceipts.get(index) ?? createAnswerTemplate(receipts[index], recorded)
      ofReceipts.set(index, template)
      return template
    },
  }
}
