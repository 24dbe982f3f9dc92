import type { CreatedContracts } from './created-contracts.ts'
import type { EventLog } from './event-log.ts'
import type { LogFilter } from './log-filter.ts'

/** The logs of a block that filters select, each once. */
export type SelectLogs = <T extends EventLog>(logs: readonly T[], block: number) => readonly T[]

export function createSelectLogs(filters: readonly LogFilter[], created: Pick<CreatedContracts, 'has'>): SelectLogs {
  return (logs, block) => logs.filter((log) => filters.some((filter) => matches(log, block, filter, created)))
}

function matches(
  { address, topics }: EventLog,
  block: number,
  filter: LogFilter,
  created: Pick<CreatedContracts, 'has'>,
): boolean {
  const { addresses, factory, topicCount } = filter
  if (topicCount !== undefined && topicCount !== topics.length) return false
  if (!filter.topics.every((wanted, index) => wanted === undefined || wanted.has(topics[index]!))) return false
  // Some nodes use the capitals of a checksum (EIP-55).
  const contract = address.toLowerCase()
  if (factory !== undefined) return created.has(factory, contract, block)
  return addresses === undefined || addresses.has(contract)
}
