/** A record of the topic. Positions are numbers of cells and of gaps between units, from the start of the story. */
export type Cell = {
  seq: number
  gaps: number
  /** When it is sent, and when it is committed, in seconds. */
  sent: number
  committed: number
  /** The record that this one reverts. */
  reverts?: number
  /** When it is reverted. */
  reverted?: number
  /** It is sent by a process that is killed at this time, and never committed. */
  lost?: number
}

/** A block of the source, above its records. */
export type Block = {
  number: number
  first: number
  cells: number
  gaps: number
  appears: number
  reverted?: number
  /** A block after a reorganisation: the end of the block that it follows. */
  forksFrom?: { end: number; gaps: number }
}

export type Transaction = {
  first: number
  cells: number
  gaps: number
  gapsInside: number
  sent: number
  /** When it is committed, or when its process is killed. */
  ends: number
  killed: boolean
}

/** Reached at the time, in a straight line from the point before. */
export type Point = { time: number; seq: number; gaps: number; offline?: boolean }

export type Story = {
  /** In seconds. After it, everything happens again with later numbers. */
  duration: number
  seqs: number
  gaps: number
  numbers: number
  cells: readonly Cell[]
  blocks: readonly Block[]
  transactions: readonly Transaction[]
  captions: readonly { time: number; text: string }[]
  /** The end of the log as it is seen: it moves when a transaction begins. */
  end: readonly Point[]
  readers: Readonly<Record<'browser' | 'service' | 'job', readonly Point[]>>
}

/** The moment that shows most: a reorganisation has just been committed. */
export const stillTime = 23

const captions = {
  unit: 'Each block is published in one transaction with its checkpoint ◆. Readers see all of it, or nothing.',
  killed:
    'The process is killed before the commit, so nothing was published. The next run continues at the checkpoint.',
  offline:
    'A reader that was offline continues at its cursor. The numbers have no gap, so it knows that nothing is missing.',
  reorganised:
    'The chain reverts two blocks. Their records are reverted, newest first, in the transaction of the new ones.',
}

/** Units of two or three records, a process that is killed, a reader that is offline, and a reorganisation. */
export function tellStory(): Story {
  const cells: Cell[] = []
  const blocks: Block[] = []
  const transactions: Transaction[] = []
  const shown: { time: number; text: string }[] = [{ time: 0, text: captions.unit }]
  const end: Point[] = [{ time: 0, seq: 0, gaps: 0 }]
  const browser: Point[] = [{ time: 0, seq: 0, gaps: 0 }]
  const service: Point[] = [{ time: 0, seq: 0, gaps: 0 }]
  let time = 0.4
  let gaps = 0
  let number = 0

  const position = () => ({ seq: cells.filter(({ lost }) => !lost).length, gaps })
  const follow = (reader: Point[], from: number) => {
    const { seq, gaps: passed } = reader.at(-1)!
    reader.push({ time: from, seq, gaps: passed }, { time: from + 0.4, ...position() })
  }
  const show = (text: string) => shown.push({ time, text })
  /** The end of the log moves before the cells arrive. */
  const makeRoom = (added: number, addedGaps: number, at: number) => {
    const { seq, gaps: passed } = end.at(-1)!
    end.push({ time: at, seq, gaps: passed })
    end.push({ time: at + 0.6, seq: seq + added, gaps: passed + addedGaps })
  }
  const addBlock = (size: number, appears: number, first = position().seq) => {
    const block: Block = { number: number++, first, cells: size, gaps, appears }
    blocks.push(block)
    return block
  }
  const addUnit = (size: number, sent: number, committed: number) => {
    const first = position().seq
    for (let seq = first; seq < first + size; seq++) cells.push({ seq, gaps, sent, committed })
    gaps++
  }

  const publish = (size: number, readers: Point[][] = [browser, service]) => {
    makeRoom(size, 1, time)
    addBlock(size, time + 0.2)
    transactions.push({
      first: position().seq,
      cells: size,
      gaps,
      gapsInside: 0,
      sent: time + 0.6,
      ends: time + 1.3,
      killed: false,
    })
    addUnit(size, time + 0.6, time + 1.3)
    for (const reader of readers) follow(reader, time + 1.35)
    time += 2
  }

  const publishKilled = (size: number) => {
    show(captions.killed)
    const first = position().seq
    makeRoom(size, 1, time)
    addBlock(size, time + 0.2)
    for (let seq = first; seq < first + size; seq++)
      cells.push({ seq, gaps, sent: time + 0.6, committed: Number.POSITIVE_INFINITY, lost: time + 1.4 })
    transactions.push({ first, cells: size, gaps, gapsInside: 0, sent: time + 0.6, ends: time + 1.4, killed: true })
    transactions.push({ first, cells: size, gaps, gapsInside: 0, sent: time + 3, ends: time + 3.7, killed: false })
    addUnit(size, time + 3, time + 3.7)
    for (const reader of [browser, service]) follow(reader, time + 3.75)
    time += 4.6
  }

  const reorganise = (sizes: readonly [number, number]) => {
    show(captions.reorganised)
    const [sent, committed] = [time + 1.6, time + 2.8]
    const old = blocks.slice(-2)
    const before = blocks.at(-3)!
    number -= 2
    for (const block of old) block.reverted = time + 0.3
    const reverted = cells.filter(({ seq, lost }) => !lost && seq >= old[0]!.first)
    const { seq: first } = position()
    const size = reverted.length + sizes[0] + sizes[1]
    makeRoom(size, 3, time)
    transactions.push({ first, cells: size, gaps, gapsInside: 2, sent, ends: committed, killed: false })
    for (const cell of reverted.toReversed()) {
      cell.reverted = committed
      cells.push({ seq: position().seq, gaps, sent, committed, reverts: cell.seq })
    }
    gaps++
    for (const [index, cellsOfBlock] of sizes.entries()) {
      const block = addBlock(cellsOfBlock, time + 0.7 + index * 0.3)
      if (index === 0) block.forksFrom = { end: before.first + before.cells, gaps: before.gaps }
      addUnit(cellsOfBlock, sent, committed)
    }
    for (const reader of [browser, service]) follow(reader, committed + 0.1)
    time += 7
  }

  publish(3)
  publish(2)
  publishKilled(3)
  show(captions.offline)
  service.push({ ...service.at(-1)!, time, offline: true })
  publish(2, [browser])
  publish(3, [browser])
  service.push({ ...service.at(-1)!, time: time - 0.1, offline: true })
  service.push({ ...service.at(-1)!, time, offline: false })
  service.push({ time: time + 1.2, ...position() })
  time += 1.8
  show(captions.unit)
  publish(2)
  publish(2)
  reorganise([2, 2])
  show(captions.unit)
  publish(3)
  publish(2)

  const { seq: seqs } = position()
  return {
    duration: time,
    seqs,
    gaps,
    numbers: number,
    cells,
    blocks,
    transactions,
    captions: shown,
    end,
    readers: { browser, service, job: readPages(cells, seqs, gaps, time) },
  }
}

/** A job that requests a page of four records at a time, some records behind the end. */
function readPages(cells: readonly Cell[], seqs: number, gaps: number, duration: number): Point[] {
  const behind = 7
  const page = 4
  const gapsAt = (seq: number): number =>
    seq < 0 ? gapsAt(seq + seqs) - gaps : (cells.find((cell) => cell.seq === seq && !cell.lost)?.gaps ?? gaps)
  const points: Point[] = []
  const pages = Math.round(seqs / page)
  for (let index = 0; index <= pages; index++) {
    const seq = Math.round((index * seqs) / pages) - behind
    const time = (index * duration) / pages
    const last = points.at(-1)
    if (last) points.push({ ...last, time: time - 0.35 })
    points.push({ time, seq, gaps: gapsAt(seq) })
  }
  return points
}
