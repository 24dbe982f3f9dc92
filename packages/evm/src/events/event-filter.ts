/** The value of an indexed parameter. Integers may be decimal or hex text, bytes are hex text. */
export type ArgumentValue = string | number | bigint | boolean

/** Selects logs. All that it names must match. */
export interface EventFilter {
  /** In Solidity, e.g. `Transfer(address indexed from, address indexed to, uint256 value)`. Absent: every event. */
  readonly event?: string
  /** Values of indexed parameters by name. A list matches any of its values. Requires `event`. */
  readonly arguments?: Readonly<Record<string, ArgumentValue | readonly ArgumentValue[]>>
  /** Contracts. Absent, and without `factory`: every contract. */
  readonly address?: string | readonly string[]
  readonly factory?: EventFactory
}

/**
 * Contracts that others create. The events of a created contract count from the first block on in which an event of the
 * factory names it, also those before that event in the same block.
 */
export interface EventFactory {
  readonly address: string | readonly string[]
  /** The event for each created contract, in Solidity. */
  readonly event: string
  /** Its parameter of type `address` that names the contract. */
  readonly argument: string
  /**
   * The block from which on created contracts are looked for. Default: `start` of the settings, which then must not be
   * `latest`. At each start they are found again from this block on.
   */
  readonly start?: number
}
