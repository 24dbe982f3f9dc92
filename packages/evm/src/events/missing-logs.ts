import { type BloomBits, bloomBits, falsePositives, mayContain } from './bloom.ts'
import type { CreatedContracts } from './created-contracts.ts'
import type { EventHeader } from './event-header.ts'
import type { EventLog } from './event-log.ts'
import type { LogFilter } from './log-filter.ts'

/** Compares what was selected from a block with the bloom of its header. */
export interface MissingLogs {
  /**
   * Whether logs may be missing: the bloom contains a contract and an event for which there is no log.
   *
   * @param logs The logs of the block that were returned.
   * @returns 0: none is missing. Otherwise how surprising it is, above 0, and below 1 if the bloom contains more than
   *   chance explains.
   */
  surprise(header: EventHeader, logs: readonly EventLog[]): number
  /** Whether the block may have a log that a filter selects. Of factories only the events are compared. */
  mayHaveLogs(header: EventHeader): boolean
}

/** @param created Contracts of factories as far as they are known. */
export function createMissingLogs(filters: readonly LogFilter[], created: Pick<CreatedContracts, 'of'>): MissingLogs {
  const known = new Map<string, BloomBits>()
  const bitsOf = (value: string): BloomBits => {
    const bits = known.get(value) ?? bloomBits(value)
    known.set(value, bits)
    return bits
  }
  const contractsOf = ({ addresses, factory }: LogFilter, block: number) =>
    factory === undefined ? addresses : created.of(factory, block)

  /** The bloom has a value for each position that the filter names. */
  function mayHaveTopics(bloom: Uint8Array, { topics }: LogFilter): boolean {
    return topics.every((values) => !values || [...values].some((value) => mayContain(bloom, bitsOf(value))))
  }

  function mayHave(bloom: Uint8Array, filter: LogFilter): boolean {
    const { addresses } = filter
    if (!mayHaveTopics(bloom, filter)) return false
    return !addresses || [...addresses].some((contract) => mayContain(bloom, bitsOf(contract)))
  }

  /** Values of a filter that the bloom contains without a log, as a pair of how many are found, and expected by chance. */
  function unexplained(
    { bloom, number }: EventHeader & { readonly bloom: Uint8Array },
    filter: LogFilter,
    logs: readonly EventLog[],
    chance: number,
  ): Counts {
    if (!mayHaveTopics(bloom, filter)) return none
    const seen = new Set(logs.flatMap(({ topics }) => topics))
    const byTopics = filter.topics.filter((values) => values && ![...values].some((value) => seen.has(value))).length
    const ofTopics = chance ** byTopics
    const contracts = contractsOf(filter, number)
    if (contracts === undefined) {
      const isExplained = logs.some((log) => hasTopics(log, filter))
      return isExplained ? none : { found: 1, expected: filter.topics.length === 0 ? 0 : ofTopics }
    }
    const having = new Set(logs.filter((log) => hasTopics(log, filter)).map(({ address }) => address.toLowerCase()))
    const active = new Set(logs.map(({ address }) => address.toLowerCase()))
    let [found, expected] = [0, 0]
    for (const contract of contracts) {
      if (having.has(contract)) continue
      if (mayContain(bloom, bitsOf(contract))) found++
      expected += active.has(contract) ? 1 : chance
    }
    return { found, expected: expected * ofTopics }
  }

  return {
    mayHaveLogs: ({ bloom }) => bloom === undefined || filters.some((filter) => mayHave(bloom, filter)),
    surprise(header, logs) {
      const { bloom } = header
      if (bloom === undefined) return 0
      const chance = falsePositives(bloom)
      let least = Number.POSITIVE_INFINITY
      for (const filter of filters) {
        const { found, expected } = unexplained({ ...header, bloom }, filter, logs, chance)
        if (found > 0) least = Math.min(least, Math.max(expected / found, Number.MIN_VALUE))
      }
      return least === Number.POSITIVE_INFINITY ? 0 : least
    },
  }
}

interface Counts {
  readonly found: number
  readonly expected: number
}

const none: Counts = { found: 0, expected: 0 }

/** Whether a log has the topics of a filter, of whichever contract. */
function hasTopics({ topics }: EventLog, filter: LogFilter): boolean {
  return filter.topics.every((values, index) => !values || values.has(topics[index] ?? ''))
}
