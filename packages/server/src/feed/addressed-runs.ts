import type { ReaderPosition } from '@headrace/catalog'
import { placeAfterRun, type Run, withRecords } from '../history/run.ts'
import { isShared, passRecord } from '../topics/served-topic.ts'

/** Sets the cursors of a run for one reader, and moves the reader after it. */
export type AddressRun = (run: Run, reader: ReaderPosition) => Run

/** Readers at equal places share one run, which is framed once. */
export function createAddressRun(): AddressRun {
  const newest = new WeakMap<Run, { readonly at: string; readonly run: Run }>()
  return (run, reader) => {
    const given = isShared(reader) || run.records.length === 0 ? run : addressedFor(run, reader)
    reader.move(run.partition, placeAfterRun(run, reader.places[run.partition]!))
    return given
  }

  function addressedFor(run: Run, reader: ReaderPosition): Run {
    const at = reader.cursor()
    const known = newest.get(run)
    if (known?.at === at) return known.run
    const records = run.records.map((record) => passRecord(reader, record))
    const made = withRecords(run, records)
    newest.set(run, { at, run: made })
    return made
  }
}
