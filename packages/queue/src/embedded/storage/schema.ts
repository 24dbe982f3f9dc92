/** "HdrQ": tells that a database file is a queue (`PRAGMA application_id`). */
export const applicationId = 0x48647251

/** Version of the tables below (`PRAGMA user_version`). Another version is refused. */
export const schemaVersion = 2

/**
 * One row of `batches` stands for a range of offsets of a partition. Its `id` is made of partition and base offset
 * (`batch-key.ts`), so the rows of a partition lie side by side in the order of their offsets, and each begins where the
 * one before ends: what is missing is seen. The last row of a partition (`endKey`) holds no batch, but its end.
 *
 * The record batch itself is a row of `bytes`, in the order of the commits. So a commit writes at one place, however
 * many partitions it is about, and what looks for a batch does not go through the bytes of all others. The row says to
 * which partition it belongs: `batches` can be made anew from `bytes`.
 *
 * - `max_time`: the highest time in the partition up to and including the batch. It never falls and can be searched.
 * - `keys_low`, `keys_high`: mark the keys of the batch (`key-bits.ts`).
 * - `tombstones_until`: when compaction may remove the tombstones of a batch that it has been through, in ms since the
 *   Unix epoch; 0: there are none, or it has not.
 * - `bytes_id`: 0 where the batch was lost and a repair has noted it.
 * - `batch_checksum`: the one in the batch, so that no other batch is taken for it.
 * - `checksum`: CRC-32C of the other columns (`row-checksum.ts`). SQLite has none of its own.
 *
 * No table has an index beside its key: what an index says would be believed without a checksum.
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
    compacted INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    last_offset INTEGER NOT NULL,
    max_time INTEGER NOT NULL,
    keys_low INTEGER NOT NULL,
    keys_high INTEGER NOT NULL,
    tombstones_until INTEGER NOT NULL,
    bytes_id INTEGER NOT NULL,
    size INTEGER NOT NULL,
    batch_checksum INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
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
