import type { Finality, FinalRule } from '../head/finality.ts'
import type { Head } from '../head/head.ts'
import type { NewHeads } from '../head/new-heads.ts'
import type { BlockSource } from './block-source.ts'
import { type ChainPosition, publishedAt } from './chain-position.ts'
import type { PublishedBranch } from './published-branch.ts'
import type { ReadableHead } from './readable-head.ts'
import type { EvmSettings } from './settings.ts'

/** Blocks that can be read now. */
export interface Stretch {
  readonly position: ChainPosition
  /** Number of the last one. Below `position.next`, where there are none, only if the source is to end before that. */
  readonly last: number
  /** Where the source ends at this moment: the head, or the block that it is to end with. */
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

/** Blocks between two looks at the head and at what is final. */
const stretchBlocks = 2000

/** After so long without a block it is no longer one endpoint alone that tells of the head. */
const stillMs = 10_000

/**
 * Waits until there are blocks to read, and finds out where they begin: the chain may have been reorganised meanwhile, or
 * not be reorganised any more, so that there is nothing left to read.
 */
export async function nextStretch(options: StretchOptions, before: ChainPosition): Promise<Stretch> {
  const { readableHead, newHeads, finality, settings, source } = options
  const { signal, log, history } = source
  const sourceEnd = settings.end ?? Number.POSITIVE_INFINITY
  const since = performance.now()
  let position = before
  for (let told = false; ; ) {
    const lowest = position.next + settings.confirmations
    const isStill = performance.now() - since >= stillMs
    const { head, isForked } = await readableHead.look(position, { lowest, isStill, signal })
    if (!isForked) newHeads.found(head.number)
    position = await positionSeen(options, position, head, isForked)
    if (position.next > sourceEnd) return { position, last: sourceEnd, end: sourceEnd, final: undefined }
    const end = Math.min(head.number - settings.confirmations, sourceEnd)
    const isReadable = !isForked || position.revertTo !== undefined
    if (isReadable && end >= position.next) {
      const last = Math.min(end, position.next + stretchBlocks - 1)
      const { asksAll } = readableHead
      const standing = history().filter(({ number }) => number < position.next)
      const final = await finality.finalRule({ head: head.number, last, asksAll, standing }, signal)
      return { position, last, end, final }
    }
    if (!told && head.number < position.next - 1) {
      const below = position.previous ? 'what is published' : 'the first block to read'
      log.warn({ head: head.number, next: position.next }, `the head lies below ${below}: waiting`)
      told = true
    }
    await newHeads.wait(settings.poll * 1000, signal)
  }
}

/** The position in view of a head: where it is another block than the published one, all endpoints are asked. */
async function positionSeen(
  { branch, source: { history, signal } }: StretchOptions,
  position: ChainPosition,
  head: Head,
  isForked: boolean,
): Promise<ChainPosition> {
  const [newest] = history()
  const published = publishedAt(history(), head.number)
  if (published?.hash === head.hash) {
    if (published === newest) branch.found()
  } else if (published || (isForked && newest)) return (await branch.judge(history(), signal)).position
  return position
}
