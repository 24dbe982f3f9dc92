export interface PostgresSinkOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq such as `sslmode`. */
  readonly url: string
  /** The schema of the tables. Default `public`. It must exist. */
  readonly schema?: string
  /** Table names by topic. Default: the last segment of the topic's name in snake_case. */
  readonly tables?: Readonly<Record<string, string>>
  /**
   * `seq` (default): a row per record. `key`: a row per record key, from its newest canonical record; a record without a
   * value deletes it.
   */
  readonly primaryKey?: 'seq' | 'key'
  /**
   * For a value that PostgreSQL cannot store, which is a string with NUL: `stop` (default) ends the run before the batch is
   * applied; `null` stores NULL, and logs a warning.
   */
  readonly onBadValue?: 'stop' | 'null'
}
