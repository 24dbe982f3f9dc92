import type { Finality, FinalRule } from '../head/finality.ts'
import type { Head } from '../head/head.ts'
import type { NewHeads } from '../head/new-heads.ts'
import type { BlockSource } from './block-source.ts'
import { type ChainPosition, publishedAt } from './chain-position.ts'
import type { PublishedBranch } from './published-branch.ts'
import type { ReadableHead } from './readable-head.ts'
import type { EvmSettings } from './settings.ts'

export interface Stretch {
  readonly position: ChainPosition
  /** Below `position.next` only if the source ends before that block. */
  readonly last: number
  /** The head, or the last block to read. */
  readonly end: number
  readonly final: FinalRule | undefined
}

export interface StretchOptions {
  readonly readableHead: ReadableHead
  readonly branch: PublishedBranch
  readonly newHeads: NewHeads
  readonly finality: Finality
  readonly settings: EvmSettings
  readonly source: BlockSource
}

/** Limit between two checks of the head and of finality. */
const stretchBlocks = 2000

/** After this time without a block all endpoints are asked for their head. */
const stallMs = 10_000

/** Waits for blocks to read. After each wait it finds where they begin: the chain may have been reorganised. */
export async function nextStretch(options: StretchOptions, before: ChainPosition): Promise<Stretch> {
  const { readableHead, newHeads, finality, settings, source } = options
  const { signal, log, history } = source
  const sourceEnd = settings.end ?? Number.POSITIVE_INFINITY
  const since = performance.now()
  let position = before
  for (let warned = false; ; ) {
    const lowest = position.next + settings.confirmations
    const isStalled = performance.now() - since >= stallMs
    const { head, isForked } = await readableHead.fetch(position, { lowest, isStalled, signal })
    if (!isForked) newHeads.polled(head.number)
    position = await positionAtHead(options, position, head, isForked)
    if (position.next > sourceEnd) return { position, last: sourceEnd, end: sourceEnd, final: undefined }
    const end = Math.min(head.number - settings.confirmations, sourceEnd)
    const isReadable = !isForked || position.revertTo !== undefined
    if (isReadable && end >= position.next) {
      const last = Math.min(end, position.next + stretchBlocks - 1)
      const { asksAll } = readableHead
      const canonical = history().filter(({ number }) => number < position.next)
      const final = await finality({ head: head.number, last, asksAll, canonical }, signal)
      return { position, last, end, final }
    }
    if (!warned && head.number < position.next - 1) {
      const below = position.previous ? 'the published blocks' : 'the first block to read'
      log.warn({ head: head.number, next: position.next }, `the head is below ${below}: waiting`)
      warned = true
    }
    await newHeads.wait(settings.poll * 1000, signal)
  }
}

async function positionAtHead(
  { branch, source: { history, signal } }: StretchOptions,
  position: ChainPosition,
  head: Head,
  isForked: boolean,
): Promise<ChainPosition> {
  const [newest] = history()
  const published = publishedAt(history(), head.number)
  if (published?.hash === head.hash) {
    if (published === newest) branch.confirm()
  } else if (published || (isForked && newest)) return (await branch.judge(history(), signal)).position
  return position
}
