import { RetryableError } from '@headrace/sdk'
import { type BlockIdentity, isBlock } from '../block/fetch-block.ts'
import { ContradictedBlockError, InvalidAnswerError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { answerIfAny, type Rpc, type RpcRequest } from '../rpc/rpc.ts'
import type { CheckComplete, ReadBlock } from './check-complete.ts'
import type { EventHeader } from './event-header.ts'
import type { FetchHeaders } from './fetch-headers.ts'
import type { FetchLogs } from './fetch-logs.ts'
import type { LogQuery } from './log-query.ts'

/** Reads single blocks, header first, then the logs by its hash. */
export interface BlockEvents {
  at(number: number, signal: AbortSignal): Promise<ReadBlock>
  /** Asks each node once; `undefined` if no node has the block. */
  find(number: number, identity: BlockIdentity, signal: AbortSignal): Promise<ReadBlock | undefined>
}

export interface BlockEventsOptions {
  readonly rpc: Rpc
  readonly fetchHeaders: FetchHeaders
  readonly fetchLogs: FetchLogs
  readonly check: CheckComplete
  /** They select the logs of any block. */
  readonly queries: readonly LogQuery[]
  /** Reads the logs of a block in another way. */
  readonly proven?: ((header: EventHeader, signal: AbortSignal) => Promise<ReadBlock>) | undefined
}

export const mostRejections = 3

export function createBlockEvents(options: BlockEventsOptions): BlockEvents {
  const { rpc, fetchHeaders, fetchLogs, check, queries, proven } = options

  async function complete(
    header: EventHeader,
    request: Pick<RpcRequest<unknown>, 'onceEach' | 'avoid' | 'signal'>,
  ): Promise<ReadBlock> {
    if (proven) return proven(header, request.signal)
    const { logs, endpoint } = await fetchLogs.ofBlock(queries, header, request)
    return checked({ header, logs }, endpoint, request.signal)
  }

  async function checked(block: ReadBlock, endpoint: RpcEndpoint, signal: AbortSignal): Promise<ReadBlock> {
    try {
      await check([block], { endpoint }, signal)
      return block
    } catch (error) {
      if (error instanceof ContradictedBlockError) rpc.reject(endpoint, error)
      throw error
    }
  }

  return {
    async at(number, signal) {
      let missing: string | undefined
      for (let rejections = 0; ; ) {
        const [header] = (await fetchHeaders(number, number, { signal })).headers
        // A block that was replaced after its header was fetched is fetched again.
        const onceEach = header!.hash !== missing
        try {
          return await complete(header!, { onceEach, signal })
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof ContradictedBlockError && ++rejections < mostRejections) continue
          if (!onceEach || !(error instanceof RetryableError)) throw error
          missing = header!.hash
        }
      }
    },
    async find(number, identity, signal) {
      const asking = rpc.request({
        what: 'events',
        async send(endpoint, signal) {
          const [header] = (await fetchHeaders.at(endpoint)(number, number, signal)).headers
          if (!isBlock(header!, identity)) throw new InvalidAnswerError(`block ${number}`, 'it is on another branch')
          const { logs } = proven ? { logs: [] } : await fetchLogs.at(endpoint).ofBlock(queries, header!, signal)
          return { block: { header: header!, logs }, endpoint }
        },
        onceEach: true,
        signal,
      })
      const found = await answerIfAny(asking, signal)
      if (!found) return undefined
      const { block, endpoint } = found
      return answerIfAny(proven ? proven(block.header, signal) : checked(block, endpoint, signal), signal)
    },
  }
}
