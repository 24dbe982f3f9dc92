import { InvalidAnswerError, RpcError, RpcOverloadedError } from '../errors.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { createEndpointBatches } from '../rpc/endpoint-batches.ts'
import { isUnknownMethod } from '../rpc/judge-failure.ts'
import { checkLogs, type PlacedLog } from './event-log.ts'
import type { LogQuery } from './log-query.ts'
import { type RangeRefusal, rangeRefusal } from './range-refusal.ts'

export interface FetchedLogs {
  /** In order, and no two with the same place. */
  readonly logs: readonly PlacedLog[]
  /** Characters of the answers. */
  readonly length: number
}

export interface EndpointLogs {
  /** Splits a range that the endpoint refuses, and then asks for shorter ones for a while. */
  range(queries: readonly LogQuery[], from: number, last: number, signal: AbortSignal): Promise<FetchedLogs>
  /** The logs of a block by its hash (EIP-234). */
  ofBlock(queries: readonly LogQuery[], block: BlockName, signal: AbortSignal): Promise<FetchedLogs>
  /** The logs of each block by its hash, in batches. */
  ofEach(
    queries: readonly LogQuery[],
    blocks: readonly BlockName[],
    signal: AbortSignal,
  ): Promise<readonly FetchedLogs[]>
  /** Blocks for which the endpoint is asked at once. */
  readonly most: number
}

export interface BlockName {
  readonly number: number
  readonly hash: string
}

interface LogRequest {
  readonly query: LogQuery
  readonly from: number
  readonly last: number
  readonly blocks: Readonly<Record<string, string>>
}

export function createEndpointLogs(endpoint: RpcEndpoint): EndpointLogs {
  /** What the endpoint allows, as far as it has refused more. */
  let mostBlocks = Number.POSITIVE_INFINITY
  let mostValues = Number.POSITIVE_INFINITY
  /** What it has answered, which depends on the number of logs. */
  let blocks = Number.POSITIVE_INFINITY
  let knowsBlockHash = true
  const sendAll = createEndpointBatches(endpoint)

  async function send({ query, from, last, blocks }: LogRequest, signal: AbortSignal): Promise<FetchedLogs> {
    const { result, length } = await endpoint.send({ method, params: [{ ...query, ...blocks }] }, signal)
    return { logs: checkLogs(result, from, last), length }
  }

  async function fetchRange(query: LogQuery, from: number, last: number, signal: AbortSignal): Promise<FetchedLogs> {
    const parts: FetchedLogs[] = []
    for (let next = from; next <= last; ) {
      const to = Math.min(last, next + Math.min(blocks, mostBlocks) - 1)
      const request = { query, from: next, last: to, blocks: { fromBlock: quantity(next), toBlock: quantity(to) } }
      const values = query.address?.length ?? 0
      if (values > mostValues)
        return merged(await Promise.all(halves(query).map((half) => fetchRange(half, from, last, signal))))
      try {
        parts.push(await send(request, signal))
        next = to + 1
        if (blocks <= to - request.from + 1) blocks = Math.ceil(blocks * growth)
      } catch (error) {
        const refusal = refusalOf(error)
        if (!refusal) throw error
        // The endpoint backs off first.
        if (refusal.kind === 'too_slow' && to > next) blocks = (to - next + 1) >> 1
        if (refusal.kind === 'too_slow') throw error
        if (refusal.kind === 'too_many_values' && values > 1) mostValues = valuesBelow(values, refusal)
        else if (refusal.kind === 'too_many_values') throw error
        else if (to === next) {
          parts.push(await fetchByReceipts(next, signal))
          next++
        } else if (refusal.kind === 'too_wide') mostBlocks = blocksBelow(request, refusal)
        else blocks = blocksBelow(request, refusal)
      }
    }
    return { logs: parts.flatMap(({ logs }) => logs), length: sum(parts) }
  }

  /** All logs of a block that has more than the endpoint returns at once. */
  async function fetchByReceipts(number: number, signal: AbortSignal, name = quantity(number)): Promise<FetchedLogs> {
    const { result, length } = await endpoint.send({ method: 'eth_getBlockReceipts', params: [name] }, signal)
    if (!Array.isArray(result)) throw new InvalidAnswerError(`the receipts of block ${number}`, 'they are not a list')
    const logs = (result as readonly RpcReceipt[]).flatMap((receipt) => receipt?.logs ?? [])
    return { logs: checkLogs(logs, number, number), length }
  }

  async function fetchAll(
    queries: readonly LogQuery[],
    from: number,
    last: number,
    signal: AbortSignal,
  ): Promise<FetchedLogs> {
    return merged(await Promise.all(queries.map((query) => fetchRange(query, from, last, signal))))
  }

  async function fetchEach(
    queries: readonly LogQuery[],
    blocks: readonly BlockName[],
    signal: AbortSignal,
  ): Promise<readonly FetchedLogs[]> {
    const calls = blocks.flatMap(({ hash: blockHash }) =>
      queries.map((query) => ({ method, params: [{ ...query, blockHash }] })),
    )
    const { results, length } = await sendAll(calls, signal)
    return blocks.map(({ number }, index) => {
      const own = results.slice(index * queries.length, (index + 1) * queries.length)
      return merged(own.map((answer) => ({ logs: checkLogs(answer, number, number), length: length / results.length })))
    })
  }

  async function fetchBlock(queries: readonly LogQuery[], block: BlockName, signal: AbortSignal): Promise<FetchedLogs> {
    const { number, hash } = block
    if (!knowsBlockHash) return fetchAll(queries, number, number, signal)
    try {
      return (await fetchEach(queries, [block], signal))[0]!
    } catch (error) {
      if (error instanceof RpcError && refusalOf(error)) return fetchByReceipts(number, signal, hash)
      if (!isUnknownMethod(error)) throw error
      knowsBlockHash = false
      return fetchAll(queries, number, number, signal)
    }
  }

  return {
    range: fetchAll,
    async ofBlock(queries, block, signal) {
      return checkBlock(await fetchBlock(queries, block, signal), block)
    },
    async ofEach(queries, blocks, signal) {
      try {
        if (knowsBlockHash)
          return (await fetchEach(queries, blocks, signal)).map((logs, index) => checkBlock(logs, blocks[index]!))
      } catch (error) {
        if (!refusalOf(error) && !isUnknownMethod(error)) throw error
      }
      const logs: FetchedLogs[] = []
      for (const block of blocks) logs.push(await this.ofBlock(queries, block, signal))
      return logs
    },
    get most() {
      return Math.min(blocks, mostBlocks)
    },
  }
}

function checkBlock(fetched: FetchedLogs, { number, hash }: BlockName): FetchedLogs {
  if (fetched.logs.every(({ log }) => log.blockHash === hash)) return fetched
  throw new InvalidAnswerError(`the logs of block ${number}`, 'one is of another block')
}

const method = 'eth_getLogs'
const growth = 1.25

function refusalOf(error: unknown): RangeRefusal | undefined {
  return error instanceof RpcError || error instanceof RpcOverloadedError ? rangeRefusal(error) : undefined
}

/** The suggested number, or half of those requested. Some nodes state a number that they then refuse. */
function blocksBelow({ from, last }: LogRequest, { blocks, suggested }: RangeRefusal): number {
  const requested = last - from + 1
  const allowed = blocks ?? (suggested?.from === from ? suggested.to - from + 1 : undefined)
  return allowed !== undefined && allowed > 0 && allowed < requested ? allowed : Math.max(1, requested >> 1)
}

function valuesBelow(requested: number, { values }: RangeRefusal): number {
  return values !== undefined && values > 0 && values < requested ? values : requested >> 1
}

function halves({ address = [], ...query }: LogQuery): readonly LogQuery[] {
  const middle = address.length >> 1
  return [address.slice(0, middle), address.slice(middle)].map((part) => ({ address: part, ...query }))
}

/** Requests may select the same log. */
function merged(parts: readonly FetchedLogs[]): FetchedLogs {
  if (parts.length === 1) return parts[0]!
  const byPlace = new Map(parts.flatMap(({ logs }) => logs).map((log) => [`${log.block} ${log.index}`, log]))
  const logs = [...byPlace.values()].sort((one, other) => one.block - other.block || one.index - other.index)
  return { logs, length: sum(parts) }
}

function sum(parts: readonly FetchedLogs[]): number {
  return parts.reduce((length, part) => length + part.length, 0)
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`
}
