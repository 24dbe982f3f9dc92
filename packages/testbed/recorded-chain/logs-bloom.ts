import type { RpcLog } from '@headrace/evm'
import { keccak256 } from 'ethers'

/** What a contract logs. */
export type LogContent = Pick<RpcLog, 'address' | 'topics' | 'data'>

/** The `logsBloom` of a block or receipt (Yellow Paper, 4.3.1): three bits for each address and topic. */
export function bloomOf(logs: readonly LogContent[]): string {
  const bloom = Buffer.alloc(256)
  for (const item of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const digest = Buffer.from(keccak256(item).slice(2), 'hex')
    for (const at of [0, 2, 4]) {
      const bit = digest.readUInt16BE(at) % 2048
      bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return `0x${bloom.toString('hex')}`
}
