import type { Point, Story } from './story.ts'

/** Sizes in pixels. */
export type Layout = {
  width: number
  /** Where the lanes begin: names are before. */
  left: number
  cell: number
  gap: number
  /** Between the end of the log and the right edge. */
  margin: number
}

export type Scene = {
  cells: {
    key: string
    x: number
    label: string
    kind: 'sent' | 'committed' | 'revert' | 'lost'
    struck: boolean
    rise: number
    opacity: number
  }[]
  checkpoints: { key: string; x: number; opacity: number }[]
  blocks: { key: string; x: number; width: number; label: string; struck: boolean; opacity: number; linked: boolean }[]
  /** From one x to another, in a curve above the lane. */
  forks: { key: string; from: number; to: number; opacity: number }[]
  reverts: { key: string; from: number; to: number; opacity: number }[]
  transactions: {
    key: string
    x: number
    width: number
    label: string
    kind: 'open' | 'committed' | 'killed'
    opacity: number
  }[]
  readers: { name: string; x: number; next: number; offline: boolean }[]
  caption: string
}

const firstSeq = 40
const firstNumber = 20731

/** What is drawn at a time, in seconds. The story repeats, each time with later numbers. */
export function sceneAt(story: Story, time: number, layout: Layout): Scene {
  const round = Math.floor(time / story.duration)
  const now = time - round * story.duration
  const end = at(story.end, now)
  const shift = layout.width - layout.margin - pixels(end, layout)
  const scene: Scene = {
    cells: [],
    checkpoints: [],
    blocks: [],
    forks: [],
    reverts: [],
    transactions: [],
    readers: [],
    caption: '',
  }
  for (const past of [1, 0])
    addRound(
      scene,
      story,
      now + past * story.duration,
      round - past,
      shift - past * pixels(story, layout, story.seqs),
      layout,
    )
  scene.caption = story.captions.findLast((caption) => caption.time <= now)!.text
  for (const [name, points] of Object.entries(story.readers)) {
    const point = at(points, now)
    // One that is far behind is at the edge.
    const x = Math.max(layout.left, pixels(point, layout) + shift)
    const next = firstSeq + (round + 1) * story.seqs + Math.floor(point.seq + 0.001)
    scene.readers.push({ name, x, next, offline: point.offline ?? false })
  }
  return scene
}

function addRound(scene: Scene, story: Story, now: number, round: number, shift: number, layout: Layout): void {
  const x = (seq: number, gaps: number) => pixels({ seq, gaps }, layout) + shift
  const visible = (left: number, width: number) => left + width > -40 && left < layout.width + 40
  const key = (...parts: (string | number)[]) => [round, ...parts].join(':')
  const positions = new Map<number, number>()

  for (const { seq, gaps, sent, committed, reverts, reverted, lost } of story.cells) {
    const left = x(seq, gaps)
    if (lost === undefined) positions.set(seq, left)
    if (now < sent || (lost !== undefined && now > lost + 0.9)) continue
    if (visible(left, layout.cell))
      scene.cells.push({
        key: key(seq, lost ?? ''),
        x: left,
        label: `${firstSeq + (round + 1) * story.seqs + seq}`,
        kind:
          lost !== undefined && now > lost
            ? 'lost'
            : now < committed
              ? 'sent'
              : reverts === undefined
                ? 'committed'
                : 'revert',
        struck: reverted !== undefined && now >= reverted,
        rise: 1 - eased(now, sent, 0.5),
        opacity: lost === undefined ? eased(now, sent, 0.3) : 1 - eased(now, lost + 0.4, 0.5),
      })
    if (reverts !== undefined && now > committed)
      scene.reverts.push({
        key: key('revert', seq),
        from: left + layout.cell / 2,
        to: positions.get(reverts)! + layout.cell / 2,
        opacity: eased(now, committed, 0.4),
      })
  }

  for (const [index, { number, first, cells, gaps, appears, reverted, forksFrom }] of story.blocks.entries()) {
    const left = x(first, gaps)
    const opacity = eased(now, appears, 0.4)
    const width = cells * layout.cell
    if (opacity === 0) continue
    if (visible(left, width + 200))
      scene.blocks.push({
        key: key('block', index),
        x: left,
        width,
        label: `${firstNumber + (round + 1) * story.numbers + number}`,
        struck: reverted !== undefined && now >= reverted,
        opacity,
        linked: forksFrom === undefined,
      })
    if (forksFrom)
      scene.forks.push({ key: key('fork', index), from: x(forksFrom.end, forksFrom.gaps), to: left, opacity })
    const committed = story.cells.find(({ seq, lost }) => seq === first && lost === undefined)!.committed
    if (now >= committed)
      scene.checkpoints.push({
        key: key('checkpoint', index),
        x: left + width + layout.gap / 2,
        opacity: eased(now, committed, 0.3),
      })
  }

  for (const [index, { first, cells, gaps, gapsInside, sent, ends, killed }] of story.transactions.entries()) {
    if (now < sent || now > ends + 1.2) continue
    const ended = now >= ends
    scene.transactions.push({
      key: key('transaction', index),
      x: x(first, gaps),
      width: cells * layout.cell + gapsInside * layout.gap,
      label: ended ? (killed ? 'kill -9' : 'committed') : 'transaction',
      kind: ended ? (killed ? 'killed' : 'committed') : 'open',
      opacity: ended ? 1 - eased(now, ends + 0.5, 0.7) : eased(now, sent, 0.3),
    })
  }
}

function pixels({ seq, gaps }: { seq?: number; gaps: number }, { cell, gap }: Layout, seqs = seq ?? 0): number {
  return seqs * cell + gaps * gap
}

/** The point at a time, with the last movement eased. */
function at(points: readonly Point[], time: number): Point {
  const next = points.findIndex((point) => point.time > time)
  if (next < 0) return points.at(-1)!
  const [from, to] = [points[Math.max(0, next - 1)]!, points[next]!]
  const share = eased(time, from.time, to.time - from.time)
  return { ...from, seq: from.seq + (to.seq - from.seq) * share, gaps: from.gaps + (to.gaps - from.gaps) * share }
}

/** From 0 to 1 in a number of seconds from a start, slower at both ends. */
function eased(time: number, start: number, seconds: number): number {
  const share = seconds <= 0 ? Number(time >= start) : Math.min(1, Math.max(0, (time - start) / seconds))
  return share * share * (3 - 2 * share)
}
