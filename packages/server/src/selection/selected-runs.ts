import type { ReaderPosition } from '@headrace/catalog'
import { createSkips } from '@headrace/catalog'
import { placeAfterRun, type Run, withRecords } from '../history/run.ts'
import { cursorOf, isShared, type Place, type RenderedRecord } from '../topics/served-topic.ts'
import { isSelected, showSelected } from './selected-record.ts'
import type { Selection } from './selection.ts'

/** Makes the runs of one reader. */
export interface SelectedRuns {
  /** Removes what is left out, and sets `skipped` and the cursors. Moves the reader after the run. */
  address(run: Run, reader: ReaderPosition): Run
  /** Records before this place are lost. */
  jump(partition: number, place: Place): void
}

/** The newest run that was made, for readers of the same selection at equal places, which share it. */
export interface SharedRun {
  newest: { readonly source: Run; readonly at: string; readonly run: Run; readonly next: number | null } | undefined
}

export function createSelectedRuns(selection: Selection, shared: SharedRun, start: readonly Place[]): SelectedRuns {
  // The subscription has found that no seq is missing, so the seqs tell what was left out.
  const skips = createSkips({ start, order: 'asc', counts: false })
  return {
    address(run, reader) {
      skips.next[run.partition] ??= run.records[0]?.seq ?? null
      const selected = run.records.filter((record) => isSelected(selection, record))
      const shown = selected.length === 0 ? withRecords(run, selected) : share(run, selected, reader)
      reader.move(run.partition, placeAfterRun(run, reader.places[run.partition]!))
      return shown
    },
    jump(partition, { seq }) {
      skips.next[partition] = seq
    },
  }

  function share(run: Run, selected: readonly RenderedRecord[], reader: ReaderPosition): Run {
    const { partition } = run
    const { newest } = shared
    const shares = isShared(reader)
    const at = `${skips.next[partition]} ${shares ? '' : reader.cursor()}`
    if (newest?.source === run && newest.at === at) {
      skips.next[partition] = newest.next
      return newest.run
    }
    const records = selected.map((record) => {
      const cursor = shares && record.cursorLength > 0 ? cursorOf(record) : reader.cursorAfter(record)
      return showSelected(selection, record, { cursor, skipped: skips.take(record) })
    })
    const made = withRecords(run, records)
    shared.newest = { source: run, at, run: made, next: skips.next[partition]! }
    return made
  }
}
