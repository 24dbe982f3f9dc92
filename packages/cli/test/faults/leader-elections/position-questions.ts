import { setTimeout as delay } from 'node:timers/promises'
import { type Position, resolvePosition } from '@headrace/catalog'
import { blockTime, finalBlocks } from './blocks.ts'
import type { ElectionScene } from './election-scene.ts'
import { getPage } from './gateway-readers.ts'

export interface PositionQuestion {
  readonly position: Position
  /** The position in the notation of readers. */
  readonly text: string
  /** The lowest number after this number of commits, and the highest after this number of yielded blocks. */
  first(blocks: number): number
}

export type PositionKind = 'final' | 'time' | 'last'

/** Half of the questions are about the newest blocks. */
export function positionQuestion(kind: PositionKind, { random, counts }: ElectionScene): PositionQuestion {
  const { committed } = counts
  if (kind === 'final') return { position: { kind }, text: kind, first: finalBlocks }
  if (kind === 'time') {
    const number = committed - 1 - random.integer(random.integer(2) === 0 ? Math.min(4, committed) : committed)
    const time = blockTime(number)
    return { position: { kind, time }, text: new Date(time).toISOString(), first: () => number }
  }
  const count = 1 + random.integer(random.integer(2) === 0 ? 20 : 300)
  return { position: { kind, count }, text: `last:${count}`, first: (blocks) => Math.max(0, blocks - count) }
}

/** The offset of a resolved position. The check of the published records finds its block. */
export interface FoundPlace {
  readonly kind: PositionKind
  readonly text: string
  readonly offset: bigint
  /** The seqs that the first record there may have. */
  readonly from: number
  readonly to: number
  readonly situation: string
}

const longestPauseMs = 300

export async function askPosition(scene: ElectionScene, kind: PositionKind): Promise<FoundPlace | undefined> {
  const { findings, counts, topics, blocks, random } = scene
  const { queue } = blocks
  const { writerId } = blocks.instance
  await delay(random.integer(longestPauseMs))
  const { position, text, first } = positionQuestion(kind, scene)
  const before = counts.committed
  return findings.during(`position ${kind}`, `"${text}"`, ask())

  async function ask(): Promise<FoundPlace> {
    const [description] = await queue.describe([topics.block])
    if (random.integer(2) === 0) await delay(random.integer(longestPauseMs))
    const { partitions } = await resolvePosition(queue, description!, position, { writerId })
    const after = counts.yielded
    const { end } = description!.partitions[0]!
    const situation = `the end was ${end}, ${before} blocks were committed before, ${after} were yielded after`
    return { kind, text, offset: partitions[0]!.offset, from: first(before), to: first(after), situation }
  }
}

export async function askGateway(scene: ElectionScene, kind: PositionKind): Promise<void> {
  const { findings, counts, random } = scene
  await delay(random.integer(longestPauseMs))
  const { text, first } = positionQuestion(kind, scene)
  const before = counts.committed
  const page = await getPage(scene, `order=asc&limit=1&from=${encodeURIComponent(text)}`)
  if (!page) return
  const after = counts.yielded
  const seq = page.data[0] && Number(page.data[0].seq)
  // Units that became final after the topic was described are after the end of the page.
  if (seq === undefined && kind === 'final' && first(after) >= before) return
  if (seq !== undefined && seq >= first(before) && seq <= first(after)) return
  findings.note(
    `from ${kind}`,
    `the first record from "${text}" has seq ${seq}, expected ${first(before)} to ${first(after)} ` +
      `(${before} blocks were committed before, ${after} were yielded after)`,
  )
}
