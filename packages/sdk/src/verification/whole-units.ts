import type { Checkpoint } from '@headrace/catalog'
import type { UnitRange } from './chosen-units.ts'
import type { PartitionScan } from './scan-partition.ts'

/** The units of which retention has removed nothing. It may go on while they are looked at: then they become fewer. */
export interface WholeUnits extends UnitRange {
  /** Retention has removed records of a partition: none of those from this unit on, or all where it is left out. */
  remove(scan: PartitionScan, firstWhole?: number): void
}

/** @param scans - Of partitions whose records are looked at unit by unit. */
export function wholeUnits(scans: readonly PartitionScan[], checkpoint: Checkpoint | undefined): WholeUnits {
  const last = Math.max(0, ...scans.map(({ newestUnit }) => newestUnit))
  // Retention leaves what can still be taken back.
  const firstAfterAll = checkpoint?.final ? checkpoint.final.unit + 1 : last + 1
  const firsts = new Map(scans.map((scan) => [scan, firstWhole(scan)]))
  function firstWhole({ isWhole, first }: PartitionScan): number {
    if (isWhole) return 1
    return first ? first.unit + 1 : firstAfterAll
  }
  return {
    get first() {
      return Math.max(1, ...firsts.values())
    },
    last,
    remove: (scan, firstWhole = firstAfterAll) => firsts.set(scan, firstWhole),
  }
}
