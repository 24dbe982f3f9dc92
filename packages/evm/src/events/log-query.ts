import type { LogFilter } from './log-filter.ts'

/** The parameter of `eth_getLogs` without its blocks. It selects a superset of what filters do. */
export interface LogQuery {
  readonly address?: readonly string[]
  readonly topics?: readonly (readonly string[] | null)[]
}

/** Contracts that a factory has created. */
export type ContractsOf = (factory: number) => Iterable<string>

/** Limit of Geth (`--rpc.logquerylimit`) and of others for the addresses of a request. */
const mostAddresses = 1000
/** As far as this, contracts without a common event are selected by their addresses in several requests. */
const mostQueries = 16

/**
 * The requests that find the logs of filters. Filters that name the same things share one: their union selects more than
 * each, but is as narrow. A request for more contracts than a node allows names their events only, or if there are no
 * events and few contracts, is split.
 *
 * @param created `undefined`: contracts of factories are selected by their events alone.
 */
export function toQueries(filters: readonly LogFilter[], created: ContractsOf | undefined): readonly LogQuery[] {
  const groups = Map.groupBy(filters, shapeOf)
  if (groups.has(everything)) return [{}]
  const queries = [...groups.values()].flatMap((group) => groupQueries(group, created))
  return queries.some(isEverything) ? [{}] : queries
}

function shapeOf({ addresses, factory, topics }: LogFilter): string {
  const isOfContracts = addresses !== undefined || factory !== undefined
  return [isOfContracts, ...topics.map((values) => values !== undefined)].join()
}

const everything = 'false'

function isEverything({ address, topics }: LogQuery): boolean {
  return address === undefined && topics === undefined
}

function groupQueries(group: readonly LogFilter[], created: ContractsOf | undefined): readonly LogQuery[] {
  const [first] = group
  const topics = first!.topics.map((values, position) =>
    values === undefined ? null : [...new Set(group.flatMap((filter) => [...filter.topics[position]!]))],
  )
  const ofTopics = topics.length > 0 ? { topics } : {}
  const isOfContracts = first!.addresses !== undefined || first!.factory !== undefined
  const contracts = isOfContracts ? contractsOf(group, created) : undefined
  if (contracts === undefined) return [ofTopics]
  if (contracts.size === 0) return []
  if (contracts.size > mostAddresses && (topics.length > 0 || contracts.size > mostAddresses * mostQueries))
    return [ofTopics]
  return chunks([...contracts]).map((address) => ({ address, ...ofTopics }))
}

function contractsOf(group: readonly LogFilter[], created: ContractsOf | undefined): ReadonlySet<string> | undefined {
  const contracts = new Set<string>()
  for (const { addresses, factory } of group) {
    if (factory !== undefined && !created) return undefined
    for (const address of addresses ?? created!(factory!)) contracts.add(address)
  }
  return contracts
}

function chunks(addresses: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(addresses.length / mostAddresses)
  return Array.from({ length: count }, (_, index) =>
    addresses.slice(index * mostAddresses, (index + 1) * mostAddresses),
  )
}
