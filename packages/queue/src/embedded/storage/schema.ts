/** "HdrQ" (`PRAGMA application_id`). */
export const applicationId = 0x48647251

export const schemaVersion = 3

/**
 * A row of `batches` covers a range of offsets, from where the one before ends, so a missing row is detected. Its `id` is
 * partition and base offset (`batchKey`). The last row of a partition (`endKey`) has only its end. `bytes` is in the order
 * of the commits, so that a commit writes at one place, and names the partitions, so that `batches` can be restored.
 *
 * - `key`: of the only record, in a compacted topic. NULL in others, and where compaction has removed the record.
 * - `max_time`: the highest time in the partition so far, so it can be searched; −1 if there is no record.
 * - `superseded_by`: offset of the next record with the key, or of a lost batch that may have it; 0 if there is none.
 * - `removable_at`: when compaction may remove the record, in ms since the Unix epoch; 0 if never.
 * - `bytes_id`: 0 if the batch is lost and a repair has recorded that.
 * - `batch_checksum`: the checksum in the batch, so that no other is accepted.
 * - `checksum`: of the other columns.
 */
export const schema = `
  CREATE TABLE topics (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    uid TEXT NOT NULL,
    cleanup TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE partitions (
    id INTEGER PRIMARY KEY,
    topic INTEGER NOT NULL,
    number INTEGER NOT NULL,
    earliest INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    key BLOB,
    last_offset INTEGER NOT NULL,
    max_time INTEGER NOT NULL,
    superseded_by INTEGER NOT NULL,
    removable_at INTEGER NOT NULL,
    bytes_id INTEGER NOT NULL,
    size INTEGER NOT NULL,
    batch_checksum INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX records_by_key ON batches (id >> 43, key) WHERE key IS NOT NULL;
  CREATE TABLE bytes (
    id INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE writers (
    id TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    claim TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
