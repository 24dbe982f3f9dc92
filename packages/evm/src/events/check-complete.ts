import { RetryableError } from '@headrace/sdk'
import { ContradictedBlockError, InvalidAnswerError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { isUnknownMethod } from '../rpc/judge-failure.ts'
import { answerIfAny, type Rpc } from '../rpc/rpc.ts'
import type { Log } from '../source/block-source.ts'
import type { BlockReceipts } from './block-receipts.ts'
import type { EventHeader } from './event-header.ts'
import type { EventLog, PlacedLog } from './event-log.ts'
import type { FetchLogs } from './fetch-logs.ts'
import type { LogQuery } from './log-query.ts'
import type { RangeLogs } from './log-ranges.ts'
import type { MissingLogs } from './missing-logs.ts'
import type { SelectLogs } from './select-logs.ts'

/** A block, and the logs that were returned for it. */
export interface ReadBlock {
  readonly header: EventHeader
  readonly logs: readonly PlacedLog[]
}

/**
 * Checks that no selected log is missing, at the cost of few requests.
 *
 * A block is suspicious if its bloom has a contract and an event without a log. Blooms of large blocks are nearly full,
 * and contracts have other events, so that most suspicions are wrong. A few are checked by `eth_getLogs` with the hash
 * of the block, for which nodes do not use their index of logs, in a batch and at another endpoint if there is one. For
 * many at once, the logs of the range are compared with those of another endpoint. Receipts decide where answers
 * differ, and about every suspicious block while no other endpoint answers: the same one confirms nothing. If there is
 * only one, as many are checked as the number of blocks allows, the most surprising ones first, and some by receipts.
 *
 * @throws {ContradictedBlockError} logs are missing.
 * @throws {RetryableError} of several endpoints, none has the receipts of a suspicious block now.
 */
export type CheckComplete = (blocks: readonly ReadBlock[], origin: Origin, signal: AbortSignal) => Promise<void>

/** From where the logs are. */
export interface Origin {
  readonly endpoint: RpcEndpoint | undefined
  /** The last block with logs, if blocks without follow: an answer that was cut off ends in the middle of a block. */
  readonly end?: number | undefined
  /**
   * Logs of the same blocks at another endpoint.
   * @throws {RetryableError} no other one answers.
   */
  elsewhere?(): Promise<RangeLogs>
}

export interface CheckOptions {
  readonly rpc: Rpc
  readonly log: Log
  readonly fetchLogs: FetchLogs
  readonly receipts: BlockReceipts
  readonly missing: MissingLogs
  readonly select: SelectLogs
  /** They select the logs of any block. */
  readonly queries: readonly LogQuery[]
  /** Whether a block of each call is compared with its receipts, whatever its bloom says. */
  readonly samples: boolean
}

/** Suspicious blocks that are checked one by one. */
const few = 4
/** Blocks that are checked by receipts at once. */
const together = 8
/** Checks of a single endpoint per block that is read, and how many can be saved up. */
const [byHashPerBlock, mostByHash] = [1 / 8, 100]
const [byReceiptsPerBlock, mostByReceipts] = [1 / 256, 8]

export function createCheckComplete(options: CheckOptions): CheckComplete {
  const { rpc, log, fetchLogs, receipts, missing, select, queries, samples } = options
  const byHash = createCredit(byHashPerBlock, mostByHash)
  const byReceipts = createCredit(byReceiptsPerBlock, mostByReceipts)
  const isAlone = rpc.health().length === 1
  let hasWarned = false

  /** @param suspicious The most surprising block first. */
  async function checkByHash(
    suspicious: readonly ReadBlock[],
    { endpoint: own }: Origin,
    signal: AbortSignal,
  ): Promise<void> {
    if (suspicious.length === 0) return
    const headers = suspicious.map(({ header }) => header)
    const { logs, endpoint } = await fetchLogs.ofEach(queries, headers, { avoid: own, signal })
    for (const [index, block] of suspicious.entries()) {
      const difference = differenceFrom(block, logs[index]!.logs)
      const isUnconfirmed = endpoint === own && (!isAlone || byReceipts.take(1) === 1)
      if (difference || isUnconfirmed) await checkByReceipts(block, difference, signal)
    }
  }

  /** @returns the suspicious blocks about which the other logs say nothing. */
  async function checkElsewhere(
    blocks: readonly ReadBlock[],
    suspicious: readonly ReadBlock[],
    { byBlock, endpoint }: RangeLogs,
    signal: AbortSignal,
  ): Promise<readonly ReadBlock[]> {
    const ofOtherBlock = new Set<ReadBlock>()
    for (const block of blocks) {
      const { number, hash } = block.header
      const logs = byBlock.get(number) ?? []
      if (!logs.every(({ log }) => log.blockHash === hash)) {
        ofOtherBlock.add(block)
        continue
      }
      const difference = differenceFrom(block, logs)
      if (!difference) continue
      await checkByReceipts(block, difference, signal)
      if (endpoint) rpc.reject(endpoint, new ContradictedBlockError('eth_getLogs', difference))
      return suspicious
    }
    return suspicious.filter((block) => ofOtherBlock.has(block))
  }

  async function checkEachByReceipts(blocks: readonly ReadBlock[], signal: AbortSignal): Promise<void> {
    for (let at = 0; at < blocks.length; at += together)
      await Promise.all(blocks.slice(at, at + together).map((block) => checkByReceipts(block, undefined, signal)))
  }

  /** @param otherwise The difference, if there are no receipts. */
  async function checkByReceipts(block: ReadBlock, otherwise: string | undefined, signal: AbortSignal): Promise<void> {
    const expected = await confirmedByReceipts(block.header, signal)
    const difference = expected ? differenceFrom(block, expected) : otherwise
    if (difference) throw new ContradictedBlockError('eth_getLogs', difference)
  }

  async function confirmedByReceipts(
    header: EventHeader,
    signal: AbortSignal,
  ): Promise<readonly PlacedLog[] | undefined> {
    try {
      return await receipts.logs(header, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RetryableError)) throw error
      // Of a block that was replaced there are none, and some nodes have none at all.
      if (!isAlone && !(error instanceof InvalidAnswerError) && !isUnknownMethod(error)) throw error
      if (!hasWarned)
        log.warn(
          { block: header.number, reason: error.message },
          'logs cannot be compared with receipts: not all are checked',
        )
      hasWarned = true
      return undefined
    }
  }

  function differenceFrom({ header: { number }, logs }: ReadBlock, expected: readonly PlacedLog[]): string | undefined {
    const [own, all] = [logs, expected].map((each) => select(each.map(logOf), number))
    if (own!.length === all!.length && all!.every((each, index) => isSame(each, own![index]))) return undefined
    return `it has ${own!.length} of ${all!.length} events of block ${number}, or other ones`
  }

  return async (blocks, origin, signal) => {
    byHash.add(blocks.length)
    byReceipts.add(blocks.length)
    const suspicious = blocks
      .map((block) => ({ block, surprise: missing.surprise(block.header, block.logs.map(logOf)) }))
      .filter(({ block, surprise }) => surprise > 0 || block.header.number === origin.end)
      .sort((one, other) => one.surprise - other.surprise)
      .map(({ block }) => block)
    const { elsewhere } = origin
    if (isAlone) await checkByHash(suspicious.slice(0, byHash.take(suspicious.length)), origin, signal)
    else if (suspicious.length <= few || !elsewhere) await checkByHash(suspicious, origin, signal)
    else {
      const other = await answerIfAny(elsewhere(), signal)
      if (other) await checkByHash(await checkElsewhere(blocks, suspicious, other, signal), origin, signal)
      else await checkEachByReceipts(suspicious, signal)
    }
    const sample = blocks[Math.floor(Math.random() * blocks.length)]
    if (samples && sample) await checkByReceipts(sample, undefined, signal)
  }
}

interface Credit {
  add(blocks: number): void
  /** @returns how many of the wanted checks there is credit for. */
  take(wanted: number): number
}

function createCredit(perBlock: number, most: number): Credit {
  let credit = most / 2
  return {
    add(blocks) {
      credit = Math.min(most, credit + blocks * perBlock)
    },
    take(wanted) {
      const taken = Math.min(wanted, Math.floor(credit))
      credit -= taken
      return taken
    },
  }
}

function logOf({ log }: PlacedLog): EventLog {
  return log
}

function isSame(one: EventLog, other: EventLog | undefined): boolean {
  return (
    other !== undefined &&
    Number(one.logIndex) === Number(other.logIndex) &&
    one.address.toLowerCase() === other.address.toLowerCase() &&
    one.data === other.data &&
    one.topics.join() === other.topics.join()
  )
}
