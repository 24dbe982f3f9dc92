import type { Schema, Source } from '@headrace/sdk'

/** The newest published block, after which the source continues. */
export interface EvmCheckpoint {
  readonly number: number
  readonly hash: string
  /** EIP-155. */
  readonly chainId: number
}

/** The members of a connector's `Source` that reading blocks needs. */
export type BlockSource = Pick<
  Source<Schema, EvmCheckpoint>,
  'history' | 'signal' | 'log' | 'progress' | 'watchEndpoints'
>
