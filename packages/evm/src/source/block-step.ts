import type { Traced } from '@headrace/sdk'
import type { RpcBlock } from '../block/rpc-block.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { EncodedMessages } from '../transcoding/block-encoder.ts'
import type { EvmCheckpoint } from './block-source.ts'
import type { FetchedUnit } from './fetch-unit.ts'
import type { ChainPlace } from './read-chain.ts'

/** A block for connectors that look inside. It is parsed at the first access. */
export class ChainBlock {
  readonly #unit: FetchedUnit
  #block: RpcBlock | undefined
  #receipts: readonly RpcReceipt[] | undefined

  constructor(unit: FetchedUnit) {
    this.#unit = unit
  }

  get block(): RpcBlock {
    this.#block ??= JSON.parse(this.#unit.block.json.toString()) as RpcBlock
    return this.#block
  }

  /** One for each transaction, in order. Empty without settings `receipts` and `logs`. */
  get receipts(): readonly RpcReceipt[] {
    this.#receipts ??= JSON.parse(this.#unit.receipts?.json.toString() ?? '[]') as readonly RpcReceipt[]
    return this.#receipts
  }
}

export type BlockMessageName = 'Block' | 'Transaction' | 'Receipt' | 'Log'

/** The unit of a block. Its own members are those of a unit, so that `{ ...step }` does not parse the block. */
export class BlockStep extends ChainBlock implements ChainPlace {
  /** Those that have a topic. `Receipt` and `Log` only with settings `receipts` or `logs`. */
  readonly messages: EncodedMessages<BlockMessageName>
  readonly checkpoint: EvmCheckpoint
  declare readonly revertTo?: EvmCheckpoint | null
  declare readonly final?: EvmCheckpoint

  declare readonly traceparent?: string

  constructor(unit: FetchedUnit & Traced, { checkpoint, ...marks }: ChainPlace) {
    super(unit)
    this.messages = messagesOf(unit)
    this.checkpoint = checkpoint
    Object.assign(this, marks, unit.traceparent !== undefined && { traceparent: unit.traceparent })
  }
}

export function messagesOf({ block, receipts }: FetchedUnit): EncodedMessages<BlockMessageName> {
  return { ...block.messages, ...receipts?.messages }
}
