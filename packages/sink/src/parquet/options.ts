export interface ParquetSinkOptions {
  /** Of the topics' folders. Created if it is missing. The file system must have hard links. */
  readonly folder: string
  /** Names of topics' folders. Default: the name of the topic. */
  readonly folders?: Readonly<Record<string, string>> | undefined
  /** A file ends with the batch in which it reaches this number. Default 1,000,000. */
  readonly maxRows?: number | undefined
  /** Bytes of a file, after which it ends as with `maxRows`. Default 256 MiB. */
  readonly maxBytes?: number | undefined
  /** In ms: a record is in a valid file at most this long after it was read. Default 1 hour. */
  readonly maxAgeMs?: number | undefined
}

/** With the defaults. */
export type ParquetSettings = { readonly [Name in keyof ParquetSinkOptions]-?: NonNullable<ParquetSinkOptions[Name]> }

export function parquetSettings(options: ParquetSinkOptions): ParquetSettings {
  const { folder, folders = {}, maxRows = 1_000_000, maxBytes = 256 << 20, maxAgeMs = 3_600_000 } = options
  return { folder, folders, maxRows, maxBytes, maxAgeMs }
}
