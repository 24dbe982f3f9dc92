/** Defaults of a gateway, except those of its keys: see `docs/reference/limits.md`. Times are in ms. */
const table = {
  connections: 10_000,
  /** Open TCP connections. Further ones are closed at once. */
  sockets: 12_000,
  headersMs: 10_000,
  requestMs: 30_000,
  uriLength: 8192,
  bodyBytes: 16_384, // 16 KiB
  pageRecords: 100,
  maxPageRecords: 1000,
  pageBytes: 4_194_304, // 4 MiB
  /** Records that a page with a filter reads at most. */
  examinedRecords: 20_000,
  /** Bytes of pages that clients have not read yet. One key may hold a quarter. */
  unsentPageBytes: 268_435_456, // 256 MiB
  /** Open requests of the Model Context Protocol. One key may have a quarter. */
  mcpExchanges: 32,
  messageBytes: 65_536, // 64 KiB
  batchRequests: 20,
  refusedRequests: 100,
  topicsPerWebSocket: 100,
  topicsPerSse: 20,
  /** Bytes for one client above which nothing more is written to it. */
  unsentBytes: 262_144, // 256 KiB
  /** A client with unsent bytes must read some in this time. */
  stallMs: 30_000,
  heartbeatMs: 15_000,
  /** Between WebSocket pings, and for each pong. */
  pingMs: 20_000,
  maxAgeMs: 86_400_000,
  feedBytes: 4_194_304, // 4 MiB
  /** Time for which a topic without readers is still followed. */
  feedLingerMs: 60_000,
  /** Whole pages take up to a third in addition. */
  historyBytes: 33_554_432, // 32 MiB
  /** Once for open connections to end, once for usage to be written. */
  drainMs: 5_000,
  usageDays: 31,
  usageReads: 16,
  usageMs: 10_000,
  /** Interval of measured rates. */
  rateMs: 10_000,
} as const

export type Limits = { readonly [Name in keyof typeof table]: number }

export const limits: Limits = table
