import { checkHeader } from '../block/check-block.ts'
import type { RpcHeader } from '../block/rpc-block.ts'
import { InvalidAnswerError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'
import { lastSecond } from '../transcoding/shared-fields.ts'

/** What is kept of a header. */
export interface EventHeader {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Unix time in seconds. */
  readonly timestamp: number
  /** Of 256 bytes. `undefined`: the chain has none. */
  readonly bloom: Uint8Array | undefined
}

/** @throws {InvalidAnswerError} */
export function toEventHeader(answer: unknown, number: number, check: (header: RpcHeader) => void): EventHeader {
  const header = checkHeader(answer, number)
  check(header)
  const { hash, parentHash, timestamp, logsBloom } = header
  const seconds = toNumber(timestamp)
  if (seconds > lastSecond) throw new InvalidAnswerError(`block ${number}`, 'it has no valid timestamp')
  return { number, hash, parentHash, timestamp: seconds, bloom: readBloom(logsBloom, number) }
}

/** Chains without blooms omit them, or use zeros also for blocks with logs (zkSync). */
function readBloom(hex: RpcHeader['logsBloom'], number: number): Uint8Array | undefined {
  if (hex === undefined || hex === null || hex === '0x') return undefined
  const bytes = Buffer.from(hex.slice(2), 'hex')
  if (bytes.length !== bloomBytes || hex.length !== 2 + bloomBytes * 2)
    throw new InvalidAnswerError(`block ${number}`, 'it has no valid logsBloom')
  return bytes.some((byte) => byte !== 0) ? bytes : undefined
}

/** Yellow paper, 4.3.1. */
const bloomBytes = 256
