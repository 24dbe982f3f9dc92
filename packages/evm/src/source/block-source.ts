import type { Schema, Source } from '@headrace/sdk'

export interface EvmSettings {
  /** URL of a node's JSON-RPC endpoint, http or https, or several that serve the same chain, in order of preference. */
  readonly rpc: string | readonly string[]
  /** URL of a node's WebSocket, ws or wss, for notifications of new blocks. */
  readonly ws?: string
  /** The first block, if nothing has been published yet. */
  readonly start: 'earliest' | 'latest' | number
  /** The last block, after which the source ends. */
  readonly end?: number
  /** Seconds between two requests for the head. */
  readonly poll: number
  /** Seconds until an answer begins, and between two parts of it. Default 30. */
  readonly timeout?: number
  /** Number of blocks to stay behind the head. */
  readonly confirmations: number
  /** The node's `finalized` tag, or the number of blocks on top of a final block. */
  readonly finality: 'finalized' | number
  /**
   * What is checked of a block before it is published. `links`: its number and parent, that its transactions are its
   * own and complete, and that all fields can be read. Without receipts, this does not detect that a block which is not
   * among the newest lacks the last of several transactions. `roots`: also its computed hash and the computed roots of
   * its transactions and receipts.
   */
  readonly verify: 'links' | 'roots'
  /** Whether receipts are fetched for messages of receipts and logs. */
  readonly receipts: boolean
  readonly logs: boolean
}

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
  'history' | 'signal' | 'log' | 'progress' | 'watchEndpoints' | 'descriptor'
>

export type Log = BlockSource['log']
