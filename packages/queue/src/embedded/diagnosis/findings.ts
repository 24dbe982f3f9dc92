import type { Finding } from '../../finding.ts'
import { describePlace } from '../../record-batch/stored-batch.ts'
import type { Partition } from '../storage/topic-rows.ts'

/** Offsets whose records are lost, both ends included. `undefined` if that end of the partition is unknown. */
export interface LostRange {
  readonly partition: Partition
  readonly first: number | undefined
  readonly last: number | undefined
}

const keepsUndamaged = 'Restore the file from a copy, or run it with `repair`, which keeps what is not damaged.'
const keepsOthers = 'Restore the file from a copy, or run it with `repair`, which keeps everything else.'

/** By code, where a repair helps. */
const repairs: Readonly<Record<string, string>> = {
  damaged_storage: keepsUndamaged,
  damaged_pages: keepsUndamaged,
  damaged_batch: keepsOthers,
  missing_batch: keepsOthers,
  damaged_end: 'Run it with `repair`: the partition then ends after its last batch.',
  damaged_writer: 'Run it with `repair`: the next run then claims the id again.',
  leftover_bytes: 'Run it with `repair`: batches of a known partition are restored, the others are removed.',
}

/** By code, where a repair does not help. */
const otherRemedies: Readonly<Record<string, string>> = {
  queue_not_found: 'Run a connector first, or name the folder of another queue.',
  queue_unavailable: 'Stop the other process, or make room on the disk.',
  unsupported_storage: 'Restore the file from a copy, or name the folder of another queue.',
  permission_denied:
    'Check the permissions of the file, and whether its disk is mounted read-only: then mount it for writing, or copy the ' +
    'folder to another disk. If the file can be written, its header is damaged: restore it from a copy.',
  lost_records: 'Restore the file from a copy if they are needed.',
  damaged_file_kept: 'Remove the damaged file when it is no longer needed.',
}

const warnings = ['leftover_bytes', 'lost_records', 'damaged_file_kept']

export function createFinding(code: string, place: string, message: string): Finding {
  const remedy = repairs[code] ?? otherRemedies[code] ?? 'Restore the file from a copy.'
  const severity = warnings.includes(code) ? 'warning' : 'error'
  return { severity, code, place, message, remedy, repaired: false, repairable: code in repairs }
}

export function lostRecords({ partition: place, first, last }: LostRange): Finding {
  const { topic, partition } = place
  return {
    ...createFinding('lost_records', describePlace(place, first ?? 0), describe(first, last)),
    lost: { topic, partition, first: `${first ?? 0}`, ...(last !== undefined && { last: `${last}` }) },
  }
}

function describe(first: number | undefined, last: number | undefined): string {
  if (first === undefined) {
    return (
      `The records of the offsets 0 to ${last} are lost, unless retention had removed them: ` +
      'the row with the start of the partition is damaged. Reading there ends with position_lost.'
    )
  }
  if (last === undefined) {
    return (
      `The records from offset ${first} on are lost, if there were any: the row with the end of the partition ` +
      'is damaged. Its topic gets a new id, so readers start again.'
    )
  }
  return `The records of the offsets ${first} to ${last} are lost. Reading there ends with position_lost.`
}
