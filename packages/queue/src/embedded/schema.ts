/** "HdrQ": tells that a database file is a queue (`PRAGMA application_id`). */
export const applicationId = 0x48647251

/** Version of the tables below (`PRAGMA user_version`). Another version is refused. */
export const schemaVersion = 1

/**
 * One row of `batches` holds one record batch. Its `id` is made of partition and base offset (`batch-key.ts`), so the
 * batches of a partition lie side by side in the order of their offsets. Ids are never given twice.
 *
 * `max_time` is the highest time in the partition up to and including the batch, so that it never falls and can be
 * searched. `key_bits` marks the keys of a batch (`key-bits.ts`).
 */
export const schema = `
  CREATE TABLE topics (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    uid TEXT NOT NULL,
    cleanup TEXT NOT NULL
  ) STRICT;
  CREATE TABLE partitions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    topic INTEGER NOT NULL REFERENCES topics (id),
    number INTEGER NOT NULL,
    earliest INTEGER NOT NULL DEFAULT 0,
    UNIQUE (topic, number)
  ) STRICT;
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    last_offset INTEGER NOT NULL,
    max_time INTEGER NOT NULL,
    key_bits INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE TABLE writers (
    id TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    claim TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`
