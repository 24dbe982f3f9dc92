/** "HdrQ": marks a database file as a queue (`PRAGMA application_id`). */
export const applicationId = 0x48647251

/** Version of the tables below (`PRAGMA user_version`). Another version is refused. */
export const schemaVersion = 3

/**
 * A row of `batches` covers a range of offsets of a partition. Its `id` is composed of partition and base offset
 * (`batchKey`), so the rows of a partition are adjacent and ordered, and each begins where the one before ends: a missing
 * row is detected. The last row of a partition (`endKey`) has no batch, only the end of the partition.
 *
 * The record batches are rows of `bytes`, in the order of the commits: a commit writes at one place, whatever the number
 * of partitions, and a search for a batch does not read the bytes of others. Each names its partition, so that `batches`
 * can be restored from `bytes`.
 *
 * - `key`: the key of the record. Only in compacted topics, where each batch holds one record. NULL in others, and where
 *   compaction has removed the record.
 * - `max_time`: the highest time in the partition up to and including the batch. Never decreases, so it can be searched.
 * - `superseded_by`: offset of the next record with the key; 0 if there is none. After a repair also the offset of a lost
 *   batch that may have held one.
 * - `removable_at`: when compaction may remove the record, in ms since the Unix epoch; 0 if never.
 * - `bytes_id`: 0 if the batch is lost and a repair has recorded that.
 * - `batch_checksum`: the checksum in the batch, so that no other batch is accepted in its place.
 * - `checksum`: CRC-32C of the other columns (`row-checksum.ts`). SQLite has none of its own.
 *
 * `records_by_key` has no checksum, so a row that it finds must match the key and must not be superseded, and a key that it
 * does not find is searched in the rows.
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
