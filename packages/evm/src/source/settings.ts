/** Which blocks to read, and from where. */
export interface EvmSettings {
  /** URL of a node's JSON-RPC endpoint, http or https, or several that serve the same chain, in order of preference. */
  readonly rpc: string | readonly string[]
  /** The first block, where nothing has been published yet. */
  readonly start: 'earliest' | 'latest' | number
  /** The last block: after it the source ends. */
  readonly end?: number
  /** Seconds between two looks at the head. */
  readonly poll: number
  /** Blocks to stay behind the head. */
  readonly confirmations: number
  /** What makes a block final: the node's `finalized` tag, or so many blocks on top of it. */
  readonly finality: 'finalized' | number
}
