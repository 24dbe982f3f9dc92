import type { EncodedUnit } from '../cycle/encoded-unit.ts'
import type { RunTotals } from '../run-options.ts'
import type { RunMeter } from './run-meter.ts'

/** Counts a transaction that has become visible. */
export function countCommit(meter: RunMeter, units: readonly EncodedUnit[]): void {
  meter.transactions++
  meter.lastCommitAt = Date.now()
  meter.failing.commit = false
  meter.units += units.length
  for (const { records, bytes, deadLetters, revert } of units) {
    meter.records += records.length
    meter.bytes += bytes
    meter.badMessages += deadLetters.length
    if (!revert) continue
    meter.reverts++
    meter.revertedUnits += revert.units
    meter.revertedRecords += revert.records
  }
}

export function totalsOf({ units, records, bytes, badMessages }: RunMeter): RunTotals {
  return { units, records, bytes, badMessages }
}
