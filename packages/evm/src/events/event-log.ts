import { InvalidAnswerError } from '../errors.ts'
import { isHash, toNumber } from '../quantity/quantity.ts'
import type { RpcLog } from '../receipt/rpc-receipt.ts'

/** A log as nodes return it, with its place. */
export interface EventLog extends RpcLog {
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly transactionIndex: string
}

/** A checked log, its numbers parsed. */
export interface PlacedLog {
  readonly log: EventLog
  readonly block: number
  readonly index: number
}

/**
 * Checks logs of a range of blocks: their form, that they are of the range, and that no two have the same place.
 *
 * @returns them in order.
 * @throws {InvalidAnswerError}
 */
export function checkLogs(answer: unknown, from: number, last: number): readonly PlacedLog[] {
  const subject = from === last ? `the logs of block ${from}` : `the logs of the blocks ${from} to ${last}`
  if (!Array.isArray(answer)) throw new InvalidAnswerError(subject, 'they are not a list')
  const placed = answer.map((log: Partial<EventLog> | null, index): PlacedLog => {
    const malformed = malformedField(log)
    if (malformed) throw new InvalidAnswerError(subject, `number ${index} has no valid ${malformed}`)
    const checked = log as EventLog
    const block = toNumber(checked.blockNumber)
    if (block < from || block > last) throw new InvalidAnswerError(subject, `number ${index} is of block ${block}`)
    return { log: checked, block, index: toNumber(checked.logIndex) }
  })
  return sortLogs(placed, subject)
}

/** Most nodes return logs in order. */
function sortLogs(logs: PlacedLog[], subject: string): readonly PlacedLog[] {
  const isBefore = (one: PlacedLog, other: PlacedLog) =>
    one.block < other.block || (one.block === other.block && one.index < other.index)
  const isOrdered = logs.every((log, index) => index === 0 || isBefore(logs[index - 1]!, log))
  if (isOrdered) return logs
  logs.sort((one, other) => one.block - other.block || one.index - other.index)
  const twice = logs.findIndex((log, index) => index > 0 && !isBefore(logs[index - 1]!, log))
  if (twice < 0) return logs
  throw new InvalidAnswerError(subject, `two have the index ${logs[twice]!.index} in block ${logs[twice]!.block}`)
}

function malformedField(log: (Partial<EventLog> & { removed?: unknown }) | null): string | undefined {
  if (typeof log !== 'object' || log === null) return 'form'
  if (!isAddress(log.address)) return 'address'
  if (!Array.isArray(log.topics) || log.topics.length > 4 || !log.topics.every(isHash)) return 'topics'
  if (typeof log.data !== 'string' || !dataShape.test(log.data)) return 'data'
  if (!isHash(log.blockHash)) return 'blockHash'
  if (!isHash(log.transactionHash)) return 'transactionHash'
  if (typeof log.blockNumber !== 'string') return 'blockNumber'
  if (typeof log.logIndex !== 'string') return 'logIndex'
  if (typeof log.transactionIndex !== 'string') return 'transactionIndex'
  return log.removed === true ? 'place, because it is marked as removed' : undefined
}

const dataShape = /^0x([0-9a-fA-F]{2})*$/
const addressShape = /^0x[0-9a-fA-F]{40}$/

/** 20 bytes. Some nodes use the capitals of a checksum (EIP-55). */
export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && addressShape.test(value)
}
