/** What `verifyBlocks` finds, beside what is found in the topics of any connector. */
export const evmFindingCodes = [
  'block_missing',
  'block_repeated',
  'block_gap',
  'block_unlinked',
  'block_replaced',
  'checkpoint_elsewhere',
  'other_block',
  'missing_in_block',
  'repeated_in_block',
  'unexpected_in_block',
  'out_of_order_in_block',
] as const

/** Stable codes, in snake_case. */
export type EvmFindingCode = (typeof evmFindingCodes)[number]
