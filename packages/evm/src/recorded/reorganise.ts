import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Recording } from './recording.ts'

/**
 * The recording after a reorganisation: its newest `depth` blocks are other ones, with the same transactions and other
 * hashes. What was recorded before stays as it is.
 *
 * @example
 * ```ts
 * node.serve(reorganise(recording, 2))
 * ```
 */
export function reorganise(recording: Recording, depth: number): Recording {
  const left = recording.blocks.slice(0, -depth)
  const replaced = recording.blocks.slice(-depth)
  let text = JSON.stringify(replaced)
  for (const { block } of replaced) text = text.replaceAll(block.hash, otherHash(block.hash))
  return { ...recording, blocks: [...left, ...JSON.parse(text)] }
}

function otherHash(hash: string): string {
  return `0x${Buffer.from(keccak_256(Buffer.from(hash.slice(2), 'hex'))).toString('hex')}`
}
