import { fetchHeader, fetchHeaderOfEach } from '../block/fetch-block.ts'
import { createFinality, type FinalRule } from '../head/finality.ts'
import { type BlockId, fetchHead, fetchHeadOfEach } from '../head/head.ts'
import type { NewHeads } from '../head/new-heads.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockSource, EvmSettings } from './block-source.ts'
import { type ChainPosition, publishedAt } from './chain-position.ts'
import { createEndpointAnswers } from './endpoint-answers.ts'
import type { PublishedBranch } from './published-branch.ts'

export interface BlockRange {
  readonly position: ChainPosition
  /** Below `position.next` only if the source ends before that block. */
  readonly last: number
  /** The head, or the last block to read. */
  readonly end: number
  readonly final?: FinalRule
}

export interface BlockRanges {
  /**
   * Waits for blocks to read. After each wait it finds where they begin: the chain may have been reorganised.
   * @throws {BlockUnavailableError} the heads of all endpoints are high enough, and none has the next block.
   */
  next(before: ChainPosition): Promise<BlockRange>
  /** To be called if the preferred endpoint has no block that continues. */
  askAll(): void
}

export interface RangeOptions {
  readonly rpc: Rpc
  readonly branch: PublishedBranch
  readonly newHeads: NewHeads
  readonly settings: EvmSettings
  readonly source: BlockSource
}

/** Limit between two checks of the head and of finality. */
const mostBlocks = 2000

/** After this time without a block all endpoints are asked for their head. */
const stallMs = 10_000

interface ReadHead {
  readonly head: BlockId
  /** Endpoints have a next block, but none continues from the position. */
  readonly isForked: boolean
}

export function createBlockRanges({ rpc, branch, newHeads, settings, source }: RangeOptions): BlockRanges {
  const { signal, log, history } = source
  const { confirmations, end: sourceEnd = Number.POSITIVE_INFINITY } = settings
  const finality = createFinality(rpc, settings.finality, log)
  const answers = createEndpointAnswers<BlockId>()
  /** While the preferred endpoint is behind or on another branch. */
  let asksAll = false

  /**
   * The head of the preferred endpoint or, if that is too low, the highest head of endpoints that have the next block.
   * If none has it, any head.
   */
  async function readableHead(position: ChainPosition, isStalled: boolean): Promise<ReadHead> {
    if (asksAll) return headOfAll(position)
    const head = await fetchHead(rpc, signal)
    const isReadable = head.number >= position.next + confirmations
    if (isReadable || !isStalled || rpc.health().length === 1) return { head, isForked: false }
    return headOfAll(position)
  }

  async function headOfAll({ next, previous }: ChainPosition): Promise<ReadHead> {
    const lowest = next + confirmations
    const remembered = answers.update('head', await fetchHeadOfEach(rpc, signal))
    const heads = remembered.flatMap(({ endpoint, answer: head, isSilent }) =>
      head && !isSilent ? [{ endpoint, head }] : [],
    )
    const first = heads[0]
    if (!first) return { head: await fetchHead(rpc, signal), isForked: false }
    const high = heads.filter(({ head }) => head.number >= lowest)
    if (high.length === 0) return { head: first.head, isForked: false }
    const headers = await fetchHeaderOfEach(rpc, next, signal)
    const having = high.filter(({ endpoint }) => headers.get(endpoint))
    const following = having.filter(({ endpoint }) => !previous || headers.get(endpoint)!.parentHash === previous.hash)
    const best = highest(following)
    if (!best && having.length > 0) {
      asksAll = true
      return { head: highest(having)!.head, isForked: true }
    }
    if (!best) {
      const low = remembered.find(({ answer: head }) => !head || head.number < lowest)
      if (!low) await fetchHeader(rpc, next, signal)
      return { head: low?.answer ?? first.head, isForked: false }
    }
    answers.clear()
    const isBehind = best.head.number > first.head.number + 1
    const isElsewhere = having.includes(first) && !following.includes(first)
    if (isBehind && !asksAll) {
      const fields = { endpoint: first.endpoint, head: first.head.number, highest: best.head.number }
      log.warn(fields, 'the preferred endpoint is behind others')
    }
    asksAll = isBehind || isElsewhere
    return { head: best.head, isForked: false }
  }

  async function positionAtHead(position: ChainPosition, { head, isForked }: ReadHead): Promise<ChainPosition> {
    const [newest] = history()
    const published = publishedAt(history(), head.number)
    if (published?.hash === head.hash) {
      if (published === newest) branch.confirm()
    } else if (published || (isForked && newest)) return (await branch.judge(history(), signal)).position
    return position
  }

  return {
    async next(before) {
      const since = performance.now()
      let position = before
      for (let warned = false; ; ) {
        const read = await readableHead(position, performance.now() - since >= stallMs)
        const head = read.head.number
        if (!read.isForked) newHeads.polled(head)
        position = await positionAtHead(position, read)
        if (position.next > sourceEnd) return { position, last: sourceEnd, end: sourceEnd }
        const end = Math.min(head - confirmations, sourceEnd)
        const isReadable = !read.isForked || position.revertTo !== undefined
        if (isReadable && end >= position.next) {
          const last = Math.min(end, position.next + mostBlocks - 1)
          const canonical = history().filter(({ number }) => number < position.next)
          return { position, last, end, final: await finality({ head, last, asksAll, canonical }, signal) }
        }
        if (!warned && head < position.next - 1) {
          const below = position.previous ? 'the published blocks' : 'the first block to read'
          log.warn({ head, next: position.next }, `the head is below ${below}: waiting`)
          warned = true
        }
        await newHeads.wait(settings.poll * 1000, signal)
      }
    },
    askAll() {
      asksAll = true
    },
  }
}

function highest<T extends Pick<ReadHead, 'head'>>(heads: readonly T[]): T | undefined {
  return heads.toSorted((one, other) => other.head.number - one.head.number)[0]
}
