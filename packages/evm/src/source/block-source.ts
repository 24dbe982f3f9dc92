import type { Schema, Source } from '@headrace/sdk'

/** Where a chain's source goes on from: the newest block that was published. */
export interface EvmCheckpoint {
  readonly number: number
  readonly hash: string
  /** EIP-155. Another chain than before is refused. */
  readonly chainId: number
}

/** What of a connector's `Source` the reading of blocks needs. */
export type BlockSource = Pick<
  Source<Schema, EvmCheckpoint>,
  'history' | 'signal' | 'log' | 'progress' | 'watchEndpoints'
>
