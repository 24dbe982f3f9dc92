import type { Finding } from '../../finding.ts'
import { describePlace } from '../../record-batch/stored-batch.ts'
import type { Partition } from '../storage/topic-rows.ts'

/** Offsets whose records are lost, both ends included. */
export interface LostRange {
  readonly partition: Partition
  /** `undefined` if the start of the partition is unknown. */
  readonly first: number | undefined
  /** `undefined` if the end of the partition is unknown. */
  readonly last: number | undefined
}

type DamageFinding = Pick<Finding, 'code' | 'place' | 'message' | 'remedy'>

export function repairableFinding(finding: DamageFinding): Finding {
  return { severity: 'error', ...finding, repaired: false, repairable: true }
}

export function lostRecords({ partition: { topic, number }, first, last }: LostRange): Finding {
  return {
    severity: 'warning',
    code: 'lost_records',
    place: describePlace({ topic, partition: number }, BigInt(first ?? 0)),
    message: describe(first, last),
    remedy: 'Restore the file from a copy if they are needed.',
    repaired: false,
    lost: { topic, partition: number, first: `${first ?? 0}`, ...(last !== undefined && { last: `${last}` }) },
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
