import type { RpcHeader } from '../../../evm/src/index.ts'
import { headerHash } from '../../../evm/src/verify/verify-roots.ts'
import type { Identity } from '../../recorded-chain/answer-template.ts'
import type { LogFilter, SelectedLogs } from '../../recorded-chain/block-logs.ts'
import type { RecordedBlock } from '../../recorded-chain/recording.ts'
import type { BlockPart, BlockPlace } from '../../recorded-chain/replayed-chain.ts'
import { type BlockBody, blockBody, bodyCount } from './block-bodies.ts'

/** A block of any branch. `branch` is its index among all blocks of the tree, in the order of creation. */
export interface SimulatedBlock extends BlockPlace {
  readonly hash: string
  /** Undefined for the first block. */
  readonly parent: SimulatedBlock | undefined
  /** Number of its body. */
  readonly body: number
}

/** Blocks of all branches, with valid hashes and roots. */
export interface BlockTree {
  readonly genesis: SimulatedBlock
  /** Adds a child of a block, with the next body or with that of a block of another branch. */
  add(parent: SimulatedBlock, body?: number): SimulatedBlock
  /** The block with a hash, of any branch. */
  byHash(hash: string): SimulatedBlock | undefined
  /** Blocks with a transaction, and its index in them. */
  holding(transactionHash: string): readonly { readonly block: SimulatedBlock; readonly index: number }[]
  get(place: BlockPlace): SimulatedBlock
  json(place: BlockPlace, part: BlockPart): Buffer
  receiptJson(place: BlockPlace, index: number): Buffer
  /** The block as a node returns it. */
  read(place: BlockPlace): RecordedBlock
  transactionCount(place: BlockPlace): number
  logs(place: BlockPlace, filter: LogFilter): SelectedLogs
}

const genesisTime = 1_700_000_000
const secondsPerBlock = 12

export function createBlockTree(): BlockTree {
  const blocks: SimulatedBlock[] = []
  const byHash = new Map<string, SimulatedBlock>()
  const byTransaction = new Map<string, { block: SimulatedBlock; index: number }[]>()
  const strays = new Map<number, SimulatedBlock>()
  let bodies = 0

  /** @param branch For a block of no branch, any number; its parent is unknown. */
  function make(number: number, parent: SimulatedBlock | undefined, branch: number, body: number): SimulatedBlock {
    const parentHash = parent?.hash ?? `0x${'0'.repeat(64)}`
    return { number, branch, hash: hashOf({ number, branch, parentHash, body }), parent, body }
  }

  function add(parent: SimulatedBlock | undefined, body = bodies++): SimulatedBlock {
    const block = make(parent ? parent.number + 1 : 0, parent, blocks.length, body)
    const same = byHash.get(block.hash)
    if (same) return same
    blocks.push(block)
    byHash.set(block.hash, block)
    for (const [index, { hash }] of bodyOf(block).recorded.block.transactions.entries())
      byTransaction.set(hash, [...(byTransaction.get(hash) ?? []), { block, index }])
    return block
  }

  function get(place: BlockPlace): SimulatedBlock {
    const found = blocks[place.branch]
    if (found?.number === place.number) return found
    const stray = strays.get(place.number) ?? make(place.number, undefined, place.branch, bodies++)
    strays.set(place.number, stray)
    return stray
  }

  const json = (place: BlockPlace, part: BlockPart): Buffer => {
    const block = get(place)
    return bodyOf(block).templates[part].fill(identity(block))
  }
  return {
    genesis: add(undefined),
    add,
    byHash: (hash) => byHash.get(hash),
    holding: (hash) => byTransaction.get(hash) ?? [],
    get,
    json,
    receiptJson(place, index) {
      const block = get(place)
      return bodyOf(block).templates.receipt(index).fill(identity(block))
    },
    read: (place) => ({
      block: JSON.parse(json(place, 'block').toString()),
      receipts: JSON.parse(json(place, 'receipts').toString()),
    }),
    logs(place, filter) {
      const block = get(place)
      return bodyOf(block).templates.logs(filter, () => identity(block))
    },
    transactionCount: (place) => bodyOf(get(place)).templates.transactions,
  }
}

/** The block and its ancestors, newest first. */
export function* ancestry(block: SimulatedBlock | undefined): Generator<SimulatedBlock> {
  for (let one = block; one; one = one.parent) yield one
}

/** The block with a number on the branch of a block. */
export function ancestorAt(block: SimulatedBlock, number: number): SimulatedBlock | undefined {
  for (const one of ancestry(block)) if (one.number <= number) return one.number === number ? one : undefined
  return undefined
}

export function isOnBranchOf(head: SimulatedBlock, block: SimulatedBlock): boolean {
  return ancestorAt(head, block.number) === block
}

function bodyOf({ body }: SimulatedBlock): BlockBody {
  return blockBody(body)
}

/** Shared by all trees, because many seeds begin with the same blocks. */
const hashes = new Map<string, string>()
const mostHashes = 50_000

function hashOf({ parentHash, body, ...place }: BlockPlace & { parentHash: string; body: number }): string {
  const placed = fields(place)
  const key = `${parentHash} ${body % bodyCount} ${placed.number} ${placed.timestamp}`
  const known = hashes.get(key)
  if (known) return known
  if (hashes.size === mostHashes) hashes.clear()
  const hash = headerHash({ ...blockBody(body).recorded.block, ...placed, parentHash } as RpcHeader)
  hashes.set(key, hash)
  return hash
}

function timestampOf({ number, branch }: BlockPlace): number {
  return genesisTime + number * secondsPerBlock + (branch % secondsPerBlock)
}

function fields(place: BlockPlace): Pick<RpcHeader, 'number' | 'timestamp'> {
  return { number: `0x${place.number.toString(16)}`, timestamp: `0x${timestampOf(place).toString(16)}` }
}

function identity(block: SimulatedBlock): Identity {
  const { transactions } = bodyOf(block).recorded.block
  return {
    number: block.number,
    timestamp: timestampOf(block),
    hash: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    transactionHash: (index) => transactions[index]!.hash,
  }
}
