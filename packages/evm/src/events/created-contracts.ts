import { InvalidEventFilterError } from '../errors.ts'
import type { EventLog } from './event-log.ts'
import type { LogFactory } from './log-filter.ts'

/** The contracts of each factory, with the blocks that created them. */
export interface CreatedContracts {
  /**
   * Adds the contract that a log names, if it is of a factory.
   * @returns whether a contract was added.
   */
  add(log: EventLog, block: number): boolean
  /** Whether it was created in a block or before. */
  has(factory: number, contract: string, block: number): boolean
  /** Those created in a block or before. */
  of(factory: number, block: number): Iterable<string>
  /** Removes those of a block and of later ones. */
  removeFrom(block: number): void
}

export function createCreatedContracts(factories: readonly LogFactory[]): CreatedContracts {
  const contracts = factories.map(() => new Map<string, number>())
  return {
    add(log, block) {
      let isNew = false
      for (const [index, factory] of factories.entries()) {
        if (block < factory.start || !isOf(log, factory)) continue
        const contract = contractIn(log, factory, block)
        const before = contracts[index]!.get(contract)
        if (before !== undefined && before <= block) continue
        contracts[index]!.set(contract, block)
        isNew = true
      }
      return isNew
    },
    has: (factory, contract, block) => (contracts[factory]!.get(contract) ?? Number.POSITIVE_INFINITY) <= block,
    *of(factory, block) {
      for (const [contract, created] of contracts[factory]!) if (created <= block) yield contract
    },
    removeFrom(block) {
      for (const each of contracts) for (const [contract, created] of each) if (created >= block) each.delete(contract)
    },
  }
}

function isOf({ address, topics }: EventLog, factory: LogFactory): boolean {
  return (
    topics[0] === factory.topic && topics.length === factory.topicCount && factory.addresses.has(address.toLowerCase())
  )
}

const [wordDigits, addressDigits] = [64, 40]

function contractIn({ topics, data, logIndex }: EventLog, { place }: LogFactory, block: number): string {
  const word = 'topic' in place ? topics[place.topic]! : wordAt(data, place.byte)
  if (word.length === 2 + wordDigits) return `0x${word.slice(-addressDigits).toLowerCase()}`
  throw new InvalidEventFilterError(
    undefined,
    `log ${Number(logIndex)} of block ${block} is too short for a factory.event. Give the declaration in the source of ` +
      'the factory',
  )
}

function wordAt(data: string, byte: number): string {
  return `0x${data.slice(2 + byte * 2, 2 + byte * 2 + wordDigits)}`
}
