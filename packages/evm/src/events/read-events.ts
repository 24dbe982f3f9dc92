import type { ConnectHttp } from '../rpc/http-connection.ts'
import type { BlockSource, EvmSettings } from '../source/block-source.ts'
import { type ChainPlace, readChain } from '../source/read-chain.ts'
import type { EventFilter } from './event-filter.ts'
import type { EventLog } from './event-log.ts'
import { createEventReader } from './event-reader.ts'
import { parseFilters } from './log-filter.ts'

export interface EventSettings extends Omit<EvmSettings, 'verify' | 'receipts' | 'logs'> {
  /** A log is selected by any of these, and only once. */
  readonly events: readonly EventFilter[]
  /**
   * What is checked before a block is published. `links`: numbers, parents, that logs are of their block, and that none
   * is missing as far as the bloom filters of headers show. Where nearly all blooms are full, only some of the blocks
   * of a single node can be checked. `sample`: also whether the logs of one block of each batch are those of its receipts. `roots`:
   * every header has its hash, and the logs come from the receipts of each block whose bloom may have one, which have
   * the root of the header: this proves that no log is missing.
   */
  readonly verify: 'links' | 'sample' | 'roots'
}

/** The place of a block in its chain. */
export interface EventBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Unix time in seconds. */
  readonly timestamp: number
}

/** A unit without its messages: a block, its selected logs, and its checkpoint. */
export interface EventStep extends ChainPlace {
  readonly block: EventBlock
  /** In order. Empty if the block has none. */
  readonly logs: readonly EventLog[]
}

/**
 * Reads the events of a chain without its blocks: of each block only the header, and the logs that `events` select. The
 * units are those of `readBlocks`, one for each block, so that a connector may change from one to the other on the same
 * topics.
 *
 * Far from the head logs are fetched with `eth_getLogs` for ranges of blocks, as wide as nodes allow, and headers in
 * batches; the newest blocks one by one, by their hash.
 *
 * Ends after block `end`, or follows the head indefinitely. Throws the reason of `signal` when it is aborted.
 *
 * @throws {InvalidEventFilterError} a filter cannot select what it names.
 * @throws {ChainChangedError} the nodes serve another chain than the published one.
 * @throws {ContradictedBlockError} the nodes repeatedly return incomplete logs.
 * @throws {RetryableError} no node could be reached, or none gave a valid answer.
 * @throws {UserError} the settings are invalid, or the nodes refuse this client.
 *
 * @param connect How the nodes are reached. Default: over HTTP.
 *
 * @example
 * ```ts
 * const events = [{ address: token, event: 'Transfer(address indexed from, address indexed to, uint256 value)' }]
 *
 * for await (const { block, logs, ...position } of readEvents({ ...settings, events }, source))
 *   yield { ...position, messages: { Transfer: logs.map((log) => toTransfer(log, block)) } }
 * ```
 */
export async function* readEvents(
  settings: EventSettings,
  source: BlockSource,
  connect?: ConnectHttp,
): AsyncGenerator<EventStep, void, undefined> {
  const { events, verify, ...others } = settings
  const filters = parseFilters(events, settings.start)
  const steps = readChain({
    settings: { ...others, verify: 'links', receipts: false, logs: false },
    ...{ source, connect },
    createReader: (rpc) => createEventReader({ rpc, filters, verify, source }),
  })
  for await (const { unit, place } of steps) {
    const { logs, ...block } = unit
    yield { block, logs, ...place }
  }
}
