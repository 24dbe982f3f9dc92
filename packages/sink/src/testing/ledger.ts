import type { SinkBatch, SinkDefinition, SinkRecord, StoredRow } from '../destination/destination.ts'

/** What a destination must have stored. */
export interface Ledger {
  add(batch: SinkBatch): void
  cursor(topic: string): string | undefined
  /** In order of seq. */
  rows(topic: string, partition: number): StoredRow[]
}

export function createLedger({ rows: kind }: Pick<SinkDefinition, 'rows'>): Ledger {
  const cursors = new Map<string, string>()
  const canonical: SinkRecord[] = []
  return {
    add({ topic, records, cursor }) {
      cursors.set(topic, cursor)
      for (const record of records) {
        if (record.op === 'append') canonical.push(record)
        else
          canonical.splice(
            canonical.findLastIndex(
              ({ topic, partition, seq }) =>
                topic === record.topic && partition === record.partition && seq === record.reverts,
            ),
            1,
          )
      }
    },
    cursor: (topic) => cursors.get(topic),
    rows(topic, partition) {
      const records = canonical.filter((record) => record.topic === topic && record.partition === partition)
      return (kind === 'key' ? newestByKey(records) : records).map(({ seq, offset, key, value }) => ({
        seq: BigInt(seq ?? offset),
        key,
        value,
      }))
    },
  }
}

/** A record without a value deletes its key. */
function newestByKey(records: readonly SinkRecord[]): SinkRecord[] {
  const newest = new Map(records.map((record) => [record.key, record]))
  return records.filter((record) => newest.get(record.key) === record && (record.value !== null || record.error))
}
