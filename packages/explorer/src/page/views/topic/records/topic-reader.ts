import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { grouped } from '../../../format/number.ts'
import type { ExplorerError } from '../../../service/problem.ts'
import type { Service } from '../../../service/service.ts'
import { toExplorerError } from '../../../service/use-polled.ts'
import { type Activity, createActivityMeter } from './activity.ts'
import { markReverted, newestRows, type Row, recordRow, revertedBy, revertedId, type TopicRecord } from './row.ts'

/**
 * The records of a topic, in bounded memory however long it runs: the newest ones, which follow the topic, or those
 * around a position. It counts every record, and draws at most five times a second.
 */
export interface TopicReader {
  /** The oldest first. */
  readonly rows: ReadonlySignal<readonly Row[]>
  readonly state: ReadonlySignal<ReaderState>
  /** Records that have arrived while the rows were held. */
  readonly waiting: ReadonlySignal<number>
  /** Records received live. */
  readonly counted: ReadonlySignal<{ readonly appended: number; readonly reverted: number }>
  readonly activity: ReadonlySignal<Activity>
  /** The first row at or after the position that was asked for. */
  readonly startId: ReadonlySignal<string | undefined>
  readonly hasOlder: ReadonlySignal<boolean>
  /** Only around a position. */
  readonly hasNewer: ReadonlySignal<boolean>
  /** Whether the rows stay as they are. */
  hold(isHeld: boolean): void
  loadOlder(): Promise<void>
  loadNewer(): Promise<void>
  /** While the tab is hidden, it reads nothing. Then it continues with the newest records. */
  setVisible(isVisible: boolean): void
  close(): void
}

export type ReaderState =
  | { readonly kind: 'loading' | 'live' | 'history' }
  | { readonly kind: 'reconnecting' | 'failed'; readonly error: ExplorerError }

export interface ReaderOptions {
  readonly service: Service
  readonly topic: string
  readonly view: 'canonical' | 'log'
  readonly filter: string
  /** A position to read around. Empty: the end, and live. */
  readonly at: string
}

const pageSize = 100
const liveLimit = { rows: 2000, size: 8 << 20 }
const loadedLimit = { rows: 10_000, size: 32 << 20 }
const drawMs = 200

export function createTopicReader({ service, topic, view, filter, at }: ReaderOptions): TopicReader {
  const client = service.createClient({
    onRetry: ({ error }) => {
      state.value = { kind: 'reconnecting', error: toExplorerError(error) }
    },
    onConnect: () => {
      state.value = { kind: 'live' }
    },
  })
  const rows = signal<readonly Row[]>([])
  const state = signal<ReaderState>({ kind: 'loading' })
  const waiting = signal(0)
  const counted = signal({ appended: 0, reverted: 0 })
  const startId = signal<string | undefined>(undefined)
  const hasOlder = signal(false)
  const hasNewer = signal(false)
  const meter = createActivityMeter(Date.now())
  const activity = signal(meter.read(Date.now()))
  const closed = new AbortController()
  let stop = new AbortController()
  let isHeld = false
  let isVisible = true
  let pending: Row[] = []
  let dropped = 0
  let reverted = new Set<string>()
  const total = { appended: 0, reverted: 0 }
  let drawing: number | undefined
  let older: AsyncGenerator<{ readonly records: readonly TopicRecord[] }> | undefined
  let newer: typeof older
  let isLoading = false
  /** Partition → seq of the newest received record. */
  const newestSeqs = new Map<number, number>()
  const newestOffsets = new Map<number, number>()
  const selection = { topic, view, filter: filter || undefined }
  // Counts of seconds without records.
  const ticking = window.setInterval(() => isVisible && draw(), 1000)
  void start()

  return {
    ...{ rows, state, waiting, counted, activity, startId, hasOlder, hasNewer },
    hold(held) {
      isHeld = held
      if (!held) draw()
    },
    loadOlder: () => load('older'),
    loadNewer: () => load('newer'),
    setVisible(visible) {
      if (visible === isVisible) return
      isVisible = visible
      if (!visible && !at) stop.abort()
      else if (visible && !at && state.value.kind !== 'failed') void start()
    },
    close() {
      window.clearInterval(ticking)
      window.clearTimeout(drawing)
      closed.abort()
      stop.abort()
    },
  }

  async function start(): Promise<void> {
    stop = new AbortController()
    const { signal } = stop
    try {
      if (at) await startAround(signal)
      else await follow(signal)
    } catch (error) {
      fail(error, signal)
    }
  }

  function fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    draw()
    state.value = { kind: 'failed', error: toExplorerError(error) }
    service.checkSession(error)
  }

  async function startAround(signal: AbortSignal): Promise<void> {
    older = client.history({ ...selection, to: at, order: 'desc', pageSize, signal })
    newer = client.history({ ...selection, from: at, order: 'asc', pageSize, signal })
    hasOlder.value = true
    hasNewer.value = true
    await load('newer')
    const start = rows.value[0]?.id
    await load('older')
    startId.value = start ?? rows.value.at(-1)?.id
    if (state.value.kind === 'loading') state.value = { kind: 'history' }
  }

  async function follow(signal: AbortSignal): Promise<void> {
    older = undefined
    const pages = client.history({ ...selection, order: 'desc', pageSize, signal })
    const first = await pages.next()
    if (first.done) throw new Error('The gateway sent no page.')
    const { records, headCursor } = first.value
    resumeWith(records.toReversed())
    if (rows.value.length <= records.length) {
      older = pages
      hasOlder.value = records.length === pageSize || filter !== ''
    }
    const from = headCursor
    for await (const { records, gap } of client.subscribe({
      topics: [topic],
      from,
      filter: selection.filter,
      onGap: 'skip',
      signal,
    })) {
      if (gap) pending.push(gapRow(`Records are lost here: ${gapTexts[gap.reason]}`))
      for (const record of records) receive(record)
      drawing ??= window.setTimeout(draw, drawMs)
    }
  }

  /** After the tab was hidden, the newest page may begin behind the last record. */
  function resumeWith(page: readonly TopicRecord[]): void {
    const isNew = ({ partition, offset }: TopicRecord) => Number(offset) > (newestOffsets.get(partition) ?? -1)
    const fresh = page.filter(isNew)
    const missed = fresh.length === page.length ? missedBefore(fresh) : 0
    const whose = filter === '' ? 'records' : 'records of the topic'
    if (missed > 0) pending.push(gapRow(`${grouped(missed)} ${whose} arrived while this tab was hidden`))
    for (const record of fresh) {
      pending.push(recordRow(record))
      remember(record)
      rememberRevert(record)
    }
    draw()
  }

  function missedBefore(page: readonly TopicRecord[]): number {
    const known = new Map(newestSeqs)
    let missed = 0
    for (const { partition, seq } of page) {
      const last = known.get(partition)
      if (last === undefined || seq === null) continue
      missed += Number(seq) - last - 1
      known.delete(partition)
    }
    return missed
  }

  function receive(record: TopicRecord): void {
    meter.count(record)
    remember(record)
    total[record.op === 'revert' ? 'reverted' : 'appended']++
    rememberRevert(record)
    if (record.op === 'revert' && view === 'canonical') return
    pending.push(recordRow(record))
    if (pending.length > 2 * liveLimit.rows) trimPending()
  }

  function trimPending(): void {
    const kept = newestRows(markReverted(pending, reverted), liveLimit)
    dropped += pending.length - kept.length
    pending = [...kept]
  }

  function rememberRevert(record: TopicRecord): void {
    const id = revertedId(record)
    if (id !== undefined) reverted.add(id)
  }

  function remember({ partition, seq, offset }: TopicRecord): void {
    newestOffsets.set(partition, Number(offset))
    if (seq !== null) newestSeqs.set(partition, Number(seq))
  }

  function draw(): void {
    window.clearTimeout(drawing)
    drawing = undefined
    if (closed.signal.aborted) return
    batch(() => {
      counted.value = { ...total }
      activity.value = meter.read(Date.now())
      if (reverted.size > 0) {
        rows.value = markReverted(rows.value, reverted)
        pending = [...markReverted(pending, reverted)]
        reverted = new Set()
      }
      if (isHeld) {
        waiting.value = dropped + pending.length
        return
      }
      waiting.value = 0
      if (pending.length === 0) return
      trimPending()
      // Rows that were dropped lie before those that wait.
      const gap =
        dropped > 0 && rows.value.length > 0 ? [gapRow(`${grouped(dropped)} records are counted, but not shown`)] : []
      dropped = 0
      const all = [...rows.value, ...gap, ...pending]
      pending = []
      const kept = newestRows(all, liveLimit)
      if (kept !== all) forgetOlder()
      rows.value = kept
    })
  }

  /** The next older page would not follow the oldest row. A page before its cursor would. */
  function forgetOlder(): void {
    older = undefined
    hasOlder.value = true
  }

  async function load(which: 'older' | 'newer'): Promise<void> {
    if (isLoading) return
    isLoading = true
    try {
      older ??= olderThan(rows.value)
      const pages = which === 'newer' ? newer : older
      const known = new Set(rows.value.map(({ id }) => id))
      const next = await pages?.next()
      if (!next || next.done || closed.signal.aborted) {
        if (which === 'older') hasOlder.value = false
        else hasNewer.value = false
        return
      }
      const found = next.value.records.filter((record) => view === 'log' || record.op !== 'revert').map(recordRow)
      const added = found.filter(({ id }) => !known.has(id))
      const all = which === 'older' ? [...added.reverse(), ...rows.value] : [...rows.value, ...added]
      rows.value = markReverted(all, revertedBy(all))
      if (newestRows(all, loadedLimit) !== all) {
        hasOlder.value = false
        hasNewer.value = false
      }
    } catch (error) {
      fail(error, stop.signal)
    } finally {
      isLoading = false
    }
  }

  function olderThan(known: readonly Row[]): typeof older {
    const oldest = known.find((row) => row.kind === 'record')
    return (
      oldest && client.history({ ...selection, to: oldest.record.cursor, order: 'desc', pageSize, signal: stop.signal })
    )
  }

  function gapRow(text: string): Row {
    return { kind: 'gap', id: `gap ${gaps++}`, text }
  }
}

let gaps = 0

const gapTexts = {
  retention: 'retention removed them before they were read.',
  recreated: 'the topic was deleted and created again.',
  truncated: 'the log was cut back.',
  missing: 'a number was skipped.',
}
