/** What a unit with `revertTo` takes back. Its records are read from the queue when they are sent. */
export interface Revert {
  /** How many units are taken back. */
  readonly units: number
  /** How many records, over all partitions. */
  readonly records: number
  /** Those partitions that have records to take back. */
  readonly partitions: readonly PartitionRevert[]
}

export interface PartitionRevert {
  readonly topic: string
  readonly partition: number
  /** Seq of the first record after the unit reverted to: nothing before it is taken back. */
  readonly fromSeq: number
  /** Seq of the first record that is taken back. */
  readonly firstDead: number
  /** Seq of the first revert. The others follow it without a hole. */
  readonly firstRevert: number
  /** Seq of the last revert. */
  readonly lastDead: number
  /** Time of the reverts, in ms: that of the last record before them. */
  readonly time: number
}
