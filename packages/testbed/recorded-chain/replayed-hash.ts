import { hash } from 'node:crypto'

/** The block or transaction of a hash. */
export interface Hashed {
  readonly number: number
  readonly branch: number
  /** Index of the transaction; absent for the block itself. */
  readonly index?: number | undefined
}

/** The hashes of a block and of its transactions. */
export interface BlockHashes {
  readonly block: string
  transaction(index: number): string
}

/**
 * Hashes that encode what they identify: 8 hex digits of the branch, 12 of the number, 40 of a digest of both, and 4 of the
 * index of the transaction.
 */
export function createHashes({ number, branch }: Hashed): BlockHashes {
  const digest = hash('sha1', `${branch}/${number}`)
  const shared = `0x${hexDigits(branch, 8)}${hexDigits(number + 1, 12)}${digest}`
  return { block: `${shared}0000`, transaction: (index) => shared + hexDigits(index + 1, 4) }
}

/** Decodes a hash; `undefined` if `createHashes` did not make it. */
export function parseHash(text: string): Hashed | undefined {
  if (!/^0x[0-9a-f]{64}$/.test(text)) return undefined
  const [branch, after, place] = [text.slice(2, 10), text.slice(10, 22), text.slice(62)].map((part) =>
    Number(`0x${part}`),
  )
  const hashed = { number: after! - 1, branch: branch!, index: place === 0 ? undefined : place! - 1 }
  return text.startsWith(createHashes(hashed).block.slice(0, -4)) ? hashed : undefined
}

function hexDigits(value: number, length: number): string {
  return value.toString(16).padStart(length, '0')
}
