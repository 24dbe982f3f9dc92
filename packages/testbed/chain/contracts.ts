/** Contracts in the genesis block of every test chain. */
export const contracts = {
  /** Reverts every call. */
  reverting: { address: '0x00000000000000000000000000000000000ba5ed', code: '0x60006000fd' },
  /** Logs the first 32 bytes of its input, with two topics. */
  logging: { address: '0x000000000000000000000000000000000000f10a', code: '0x6000356000526002600160206000a200' },
} as const

/** Input of a transaction that creates a contract. */
export const creation = '0x600a600c600039600a6000f3602a60005260206000f3'
