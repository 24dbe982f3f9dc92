import { decodeCursor } from '../../../catalog/src/index.ts'
import { RefusedError } from '../../../server/src/errors.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import { type ClientOptions, NoReplyError, openStream } from './connection.ts'
import { pickFilter } from './filters.ts'
import type { GatewayPlace } from './gateways.ts'
import { topic } from './ledger.ts'
import type { LogTruth } from './log-truth.ts'
import type { PageJson } from './pages.ts'
import { readPage, walkBack } from './pages.ts'
import { createReaderOracle, type RecordJson } from './reader-oracle.ts'
import { between, pickStart, type SeqRange, type StartPosition } from './starts.ts'

export interface ReaderOptions {
  readonly world: World
  readonly truth: LogTruth
  readonly gateways: readonly GatewayPlace[]
  /** Whether a replaced broker has considered itself the leader at any moment since a time. */
  readonly isStaleSince: (ms: number) => boolean
  readonly delay: () => number
  readonly sealed: ClientOptions['sealed']
}

/** Reads all records from some position on, alternately live and as history, at changing gateways. */
export async function readAll(options: ReaderOptions, program: Program): Promise<void> {
  const { world, truth, gateways, isStaleSince, delay, sealed } = options
  const { random } = world
  const client: ClientOptions = { world, truth, client: program, delay, sealed }
  const filter = pickFilter(random)
  const selected = filter.text === undefined ? {} : { filter: filter.text }
  const oracle = createReaderOracle(world, truth, { reader: program.name, filter })
  const onGap = random.pick(['error', 'error', 'skip'] as const)
  let cursor: string | undefined
  /** Whether the cursor is of the canonical view. */
  let isCanonical = false

  const hasAll = (): boolean => cursor !== undefined && truth.isComplete() && oracle.isComplete()

  for (let lives = 1 + random.integer(4); ; ) {
    if (hasAll()) {
      if (--lives <= 0 && !world.faulty) return
      cursor = undefined
      if (lives < 0) await Promise.race([world.healed, world.wait(random.integer(20_000), program)])
    }
    const place = random.pick(gateways)
    try {
      if (cursor === undefined) await begin(place)
      else if (random.integer(4) === 0) await readPages(place, cursor)
      else if (random.integer(6) === 0) await walkBack({ ...options, client, reader: program.name }, place)
      else await follow(place, cursor)
    } catch (error) {
      if (!(error instanceof RefusedError || error instanceof NoReplyError)) throw error
      world.note(program.name, `is refused by ${place.name}: ${error.message}`)
      if (error instanceof RefusedError) refused(error)
      await world.wait(random.integer(random.pick([100, 2_000])), program)
    }
  }

  function refused({ code, members, message }: RefusedError): void {
    if (code === 'overloaded') return
    if (code !== 'position_unavailable') world.fail(`${program.name} is refused: ${code}, ${message}`)
    // Without a position nothing can be lost.
    if (cursor === undefined) return
    cursor = `${members.earliest}`
    oracle.lost(`${members.reason}`, cursor)
  }

  async function begin(place: GatewayPlace): Promise<void> {
    const before = truth.now()
    const beganAt = world.now()
    // A replaced, isolated leader returns old data.
    const found = (start: StartPosition): SeqRange[] =>
      between(start, before, truth.now()).map(({ min, max }) => ({ min: isStaleSince(beganAt) ? 0 : min, max }))
    if (random.integer(3) === 0) {
      const page = await readPage(client, place, { order: 'asc', limit: `${1 + random.integer(5)}`, ...selected })
      const heads = decodeCursor(page.headCursor).topics[0]!.partitions
      const asOf = heads.map(({ offset }, partition) => truth.seqAt(partition, offset))
      oracle.begin(found({ from: 'earliest', at: ({ kept }) => kept }), asOf)
      takePage(page)
      return
    }
    const start = pickStart(random, truth.plan)
    world.note(program.name, `begins at ${start.from} of ${place.name}`)
    const stream = await openStream(client, place)
    const given = await stream.subscribe({ topic, from: start.from, onGap, filter: filter.text })
    const after = truth.now()
    // If retention passes the position during its lookup, a reader begins at the earliest record, with a gap.
    const isOvertaken = onGap === 'skip' && `${before.kept}` !== `${after.kept}`
    const ranges = found(start)
    oracle.begin(isOvertaken ? ranges.map(({ max }, partition) => ({ min: before.kept[partition]!, max })) : ranges)
    takeCursor(given)
    oracle.connected()
    await take(stream, isOvertaken ? start.from : undefined)
  }

  async function follow(place: GatewayPlace, from: string): Promise<void> {
    world.note(program.name, `continues at ${place.name}`)
    const stream = await openStream(client, place)
    const given = await stream.subscribe({ topic, from, onGap, filter: filter.text })
    if (onGap === 'error') takeCursor(given)
    oracle.connected()
    await take(stream)
  }

  /**
   * Reads until the stream ends or is cut. A gap after the position `overtaken` is no loss of records that were read.
   */
  async function take(stream: Awaited<ReturnType<typeof openStream>>, overtaken?: string): Promise<void> {
    for (;;) {
      if (hasAll()) return stream.cut(delay())
      if (world.strikes('reader slow')) await world.wait(random.integer(random.pick([200, 5_000, 60_000])), program)
      const message = await stream.next(20_000)
      if (!message || message.kind === 'end') {
        if (message?.reason === 'position_unavailable') oracle.lost(message.reason)
        world.note(program.name, `is at the end of a stream: ${message?.reason ?? 'silence'}`)
        return stream.cut(delay())
      }
      if (message.kind === 'gap') {
        world.note(program.name, `is told of a gap: ${message.gap.reason}`)
        if (message.gap.after === overtaken) oracle.cursor(message.gap.resumeAt)
        else oracle.lost(message.gap.reason, message.gap.resumeAt)
        cursor = message.gap.resumeAt
      } else if (message.kind === 'progress') {
        if (message.cursors[topic]) takeCursor(message.cursors[topic])
        if (message.units[topic]) oracle.wholeThrough(Number(message.units[topic]))
      } else {
        const isCut = world.strikes('reader cut')
        const records = isCut ? message.records.slice(0, random.integer(message.records.length + 1)) : message.records
        world.note(program.name, () => `takes ${records.map(({ partition, seq }) => `${partition}:${seq}`).join(' ')}`)
        for (const { json } of records) takeRecord(JSON.parse(Buffer.from(json).toString()) as RecordJson)
        if (isCut) return stream.cut(random.integer(random.pick([10, 10_000, 200_000])))
      }
    }
  }

  async function readPages(place: GatewayPlace, from: string): Promise<void> {
    let at = from
    for (let left = 1 + random.integer(4); left > 0; left--) {
      const view = isCanonical ? 'canonical' : 'log'
      oracle.connected()
      const page = await readPage(client, place, {
        order: 'asc',
        cursor: at,
        limit: `${1 + random.integer(5)}`,
        view,
        ...selected,
      })
      takePage(page)
      at = page.nextCursor
      if (page.hasMore) continue
      // Without a pause it would request the same empty page immediately.
      return world.wait(random.integer(2_000), program)
    }
  }

  function takePage({ data, nextCursor }: PageJson): void {
    world.note(program.name, () => `reads ${data.map(({ partition, seq }) => `${partition}:${seq}`).join(' ')}`)
    for (const record of data) takeRecord(record)
    takeCursor(nextCursor)
  }

  function takeRecord(record: RecordJson): void {
    oracle.record(record)
    takeCursor(record.cursor)
  }

  function takeCursor(text: string): void {
    oracle.cursor(text)
    cursor = text
    isCanonical = decodeCursor(text).topics[0]!.asOf !== undefined
  }
}
