import type { EventFragment } from 'ethers'

/** The interface of a contract, as a compiler or a block explorer gives it. */
export interface Abi {
  /** What it is called in words for the user: a file. */
  readonly source: string
  /** The contract's, if the file says it. */
  readonly contractName: string | undefined
  /** The list itself, unchanged. */
  readonly entries: readonly unknown[]
  /** Each of them once, in order. */
  readonly events: readonly EventFragment[]
}
