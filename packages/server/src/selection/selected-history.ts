import { setImmediate as nextTurn } from 'node:timers/promises'
import { readRecordHeaders, withCursor } from '@headrace/catalog'
import type { QueueRecord, RangeReader } from '@headrace/queue'
import type { HistoryRange, HistoryReader } from '../history/run.ts'
import { loadRun, type Run } from '../history/run.ts'
import type { RenderedRecord, ServedTopic } from '../topics/served-topic.ts'
import type { Selection } from './selection.ts'

/** Offsets of one run at most, which take some milliseconds. Records that are left out are not rendered. */
const windowOffsets = 4096n
const windowBytes = 1 << 20

/**
 * Reads the queue, and renders only what is selected.
 *
 * @param takeTurn - Resolves when the next window may be read.
 */
export function createSelectedHistory(
  queue: RangeReader,
  selection: Selection,
  takeTurn: () => Promise<void>,
): HistoryReader {
  return {
    after(topic, { partition, from, to }) {
      const end = from + windowOffsets
      return load(topic, { partition, from, to: end < to ? end : to })
    },
    before(topic, { partition, from, to }) {
      const start = to - windowOffsets
      return loadBack(topic, { partition, from: start > from ? start : from, to })
    },
  }

  async function loadBack(topic: ServedTopic, range: HistoryRange): Promise<Run> {
    const { from, to } = range
    const run = await load(topic, range)
    if (run.to === to || to - from <= 1n) return run
    return loadBack(topic, { ...range, from: from + (to - from) / 2n })
  }

  async function load(topic: ServedTopic, range: HistoryRange): Promise<Run> {
    await takeTurn()
    const render = (record: QueueRecord) => renderSelected(selection, record)
    return { ...(await loadRun(queue, { ...topic, render }, range, windowBytes)), topic }
  }
}

const leftOut = new Uint8Array()

function renderSelected({ filter, render }: Selection, record: QueueRecord): RenderedRecord {
  const { partition, offset, time, headers } = record
  const seq = readRecordHeaders(headers).seq ?? null
  const json = !filter || filter.matches(record) ? withCursor(render(record), '') : leftOut
  return { partition, offset, seq, time, cursorLength: 0, json }
}

/**
 * One window in each turn of the event loop, for all readers together. An embedded queue is read without a wait, and a
 * filter may leave out any number of records, so other readers would wait for all of them.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
