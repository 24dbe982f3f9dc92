/** Which blocks to read, and from where. */
export interface EvmSettings {
  /** URL of a node's JSON-RPC endpoint, http or https, or several that serve the same chain, in order of preference. */
  readonly rpc: string | readonly string[]
  /** URL of a node's WebSocket, ws or wss, for hints that there is a new block. */
  readonly ws?: string
  /** The first block, where nothing has been published yet. */
  readonly start: 'earliest' | 'latest' | number
  /** The last block: after it the source ends. */
  readonly end?: number
  /** Seconds between two looks at the head. */
  readonly poll: number
  /** Seconds that an endpoint has to begin an answer, and between two parts of it. Default 30. */
  readonly timeout?: number
  /** Blocks to stay behind the head. */
  readonly confirmations: number
  /** What makes a block final: the node's `finalized` tag, or so many blocks on top of it. */
  readonly finality: 'finalized' | number
  /**
   * What is checked of a block before it is believed. `links`: number, parent, that its transactions are its own and none is
   * missing, and that all fields can be read; without receipts it does not see that the last of several transactions are
   * missing in a block that is not among the newest. `roots`: also its hash and the roots of its transactions and receipts,
   * computed anew.
   */
  readonly verify: 'links' | 'roots'
  /** Whether receipts are fetched, for messages of receipts, and of logs. */
  readonly receipts: boolean
  readonly logs: boolean
}
