import type { ReaderPosition } from '@headrace/catalog'
import { placeBehind, type Run, withRecords } from '../history/run.ts'
import { isShared, passRecord } from '../topics/served-topic.ts'

/** Gives the records of a run the cursors that they have for a reader, and moves the reader behind the run. */
export type AddressRun = (run: Run, reader: ReaderPosition) => Run

/**
 * Shares what it makes: readers who stand at equal places get one and the same run, which is framed once. Those who have
 * all there is do, for they are given what comes next in the same order.
 */
export function createAddressRun(): AddressRun {
  const newest = new WeakMap<Run, { readonly at: string; readonly run: Run }>()
  return (run, reader) => {
    const given = isShared(reader) || run.records.length === 0 ? run : addressedFor(run, reader)
    reader.move(run.partition, placeBehind(run, reader.places[run.partition]!))
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
