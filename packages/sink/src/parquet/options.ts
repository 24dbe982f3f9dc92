export interface ParquetSinkOptions {
  /** Of the topics' folders. Created if it is missing. The file system must have hard links. */
  readonly folder: string
  /** Names of topics' folders. Default: the name of the topic. */
  readonly folders?: Readonly<Record<string, string>>
  /** A file ends with the batch in which it reaches this number. Default 1,000,000. */
  readonly maxRows?: number
  /** Bytes of a file, after which it ends as with `maxRows`. Default 256 MiB. */
  readonly maxBytes?: number
  /** In ms: a record is in a valid file at most this long after it was read. Default 1 hour. */
  readonly maxAgeMs?: number
}

/** With the defaults. */
export type ParquetSettings = Required<ParquetSinkOptions>

export function parquetSettings(options: ParquetSinkOptions): ParquetSettings {
  return { folders: {}, maxRows: 1_000_000, maxBytes: 256 << 20, maxAgeMs: 3_600_000, ...options }
}
