import { hash } from 'node:crypto'

/** What a hash is of. */
export interface Hashed {
  readonly number: number
  readonly branch: number
  /** Place of the transaction; left out for the block itself. */
  readonly index?: number | undefined
}

/** The hashes of a block and of its transactions. */
export interface BlockHashes {
  readonly block: string
  transaction(index: number): string
}

/**
 * Hashes that follow from number and branch: 8 hex digits of the branch and 12 of the number, 40 of a digest of both, 4 of
 * the place of the transaction. So they look like any hash, and what they are of can be read from them.
 */
export function createHashes({ number, branch }: Hashed): BlockHashes {
  const digest = hash('sha1', `${branch}/${number}`)
  const shared = `0x${hexDigits(branch, 8)}${hexDigits(number + 1, 12)}${digest}`
  return { block: `${shared}0000`, transaction: (index) => shared + hexDigits(index + 1, 4) }
}

/** What a hash is of; `undefined` where it is none that `createHashes` makes. */
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
