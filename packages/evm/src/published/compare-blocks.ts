import { setTimeout } from 'node:timers/promises'
import type { Messages, Published, PublishedUnit, Schema, VerifyFinding } from '@headrace/sdk'
import { fetchHeaderOfEach } from '../block/fetch-block.ts'
import type { RpcBlock } from '../block/rpc-block.ts'
import { BlockUnavailableError, InvalidAnswerError, RpcUnavailableError } from '../errors.ts'
import { toNumber } from '../quantity/quantity.ts'
import type { RpcReceipt } from '../receipt/rpc-receipt.ts'
import { createRpc } from '../rpc/rpc.ts'
import type { EvmCheckpoint } from '../source/block-source.ts'
import { createFetchUnit, type FetchedUnit } from '../source/fetch-unit.ts'
import type { EvmSettings } from '../source/settings.ts'
import { findingAt, type PublishedBlock } from './published-block.ts'

export type EvmSchema = Schema & { readonly config: EvmSettings }

export interface ChainBlock {
  readonly block: RpcBlock
  /** One for each transaction, in order. Empty if neither receipts nor logs are published. */
  readonly receipts: readonly RpcReceipt[]
}

export type ToMessages<S extends Schema> = (block: ChainBlock) => Messages<S>

export interface BlockComparison<S extends EvmSchema> {
  readonly width: number
  compare(unit: PublishedUnit<S>, block: PublishedBlock): Promise<readonly VerifyFinding[]>
  close(): Promise<void>
}

const firstPauseMs = 500
const longestPauseMs = 4000

export function createBlockComparison<S extends EvmSchema>(
  { config, checkpoint, signal, log }: Published<S, EvmCheckpoint>,
  toMessages: ToMessages<S>,
): BlockComparison<S> {
  const rpc = createRpc({ ...config, publishedChainId: checkpoint?.chainId, log })
  const fetchUnit = createFetchUnit(rpc, config, log)
  return {
    get width() {
      return rpc.width
    },
    async compare(unit, { record, number, hash: expected }) {
      const first = await fetchFirst(number)
      const fetched = first?.block.hash === expected ? first : await findPublished(number, expected)
      if (!fetched) {
        const message = first
          ? `The chain has another block ${number} than the published one.`
          : `The chain has no block ${number}.`
        const values = { expected: first?.block.hash ?? null, found: expected }
        return [findingAt(record, number, { code: 'block_replaced', message, ...values })]
      }
      return unit.differences(await messagesOf(fetched)).map((finding) => ({ ...finding, source: { block: number } }))
    },
    close: () => rpc.close(),
  }

  /** Asks another node if the block cannot be mapped. */
  async function messagesOf(fetched: FetchedUnit): Promise<Messages<S>> {
    try {
      return toMessages(fetched)
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error
      const { number, hash } = fetched.block
      const other = await fetchUnit.find(toNumber(number), { hash }, signal)
      if (!other) throw error
      return toMessages(other)
    }
  }

  /** `undefined` once every node has answered that it does not have the block. */
  async function findPublished(number: number, hash: string): Promise<FetchedUnit | undefined> {
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const found = await fetchUnit.find(number, { hash }, signal)
      if (found) return found
      const headers = [...(await fetchHeaderOfEach(rpc, number, signal))]
      const unsure = headers.find(([, header]) => header === undefined || header?.hash === hash)
      if (!unsure) return undefined
      if (pauseMs > longestPauseMs) throw new RpcUnavailableError(unsure[0], `which block ${number} it has is unknown`)
      await setTimeout(pauseMs, undefined, { signal })
    }
  }

  /** `undefined` if every node answers that it has no such block. */
  async function fetchFirst(number: number): Promise<FetchedUnit | undefined> {
    try {
      return await fetchUnit.at(number, { isNew: false, signal })
    } catch (error) {
      if (!(error instanceof BlockUnavailableError)) throw error
      const headers = await fetchHeaderOfEach(rpc, number, signal)
      if ([...headers.values()].every((header) => header === null)) return undefined
      throw error
    }
  }
}
