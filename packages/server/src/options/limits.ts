/** Of a gateway, except those of its keys: see `docs/reference/limits.md`. Times are in ms. */
export interface Limits {
  /** Open WebSocket and SSE connections. */
  readonly connections: number
  /** Open TCP connections. Further ones are closed at once. */
  readonly sockets: number
  readonly headersMs: number
  readonly requestMs: number
  readonly uriLength: number
  readonly pageRecords: number
  readonly maxPageRecords: number
  readonly pageBytes: number
  /** Of pages that clients have not read yet. One key may hold a quarter. */
  readonly unsentPageBytes: number
  readonly messageBytes: number
  readonly batchRequests: number
  /** Requests above the rate of the key minus those within it, of a WebSocket client. */
  readonly refusedRequests: number
  readonly topicsPerWebSocket: number
  readonly topicsPerSse: number
  /** Of one client, above which nothing more is written to it. */
  readonly unsentBytes: number
  /** A client with unsent bytes must read some in this time. */
  readonly stallMs: number
  readonly heartbeatMs: number
  /** Between WebSocket pings, and for each pong. */
  readonly pingMs: number
  /** Of a WebSocket or SSE connection; up to a tenth less. */
  readonly maxAgeMs: number
  /** Of the newest records, per topic that is read live. */
  readonly feedBytes: number
  /** For which a topic without readers is still followed. */
  readonly feedLingerMs: number
  /** Of rendered history. Whole pages take up to a quarter of it in addition. */
  readonly historyBytes: number
  /** For open connections to end, and then for usage to be written. */
  readonly drainMs: number
  readonly usageDays: number
  /** Requests for usage that may wait. */
  readonly usageReads: number
  /** Between two writes of usage. */
  readonly usageMs: number
}

export const limits: Limits = {
  connections: 10_000,
  sockets: 12_000,
  headersMs: 10_000,
  requestMs: 30_000,
  uriLength: 8192,
  pageRecords: 100,
  maxPageRecords: 1000,
  pageBytes: 4 << 20,
  unsentPageBytes: 256 << 20,
  messageBytes: 64 << 10,
  batchRequests: 20,
  refusedRequests: 100,
  topicsPerWebSocket: 100,
  topicsPerSse: 20,
  unsentBytes: 256 << 10,
  stallMs: 30_000,
  heartbeatMs: 15_000,
  pingMs: 20_000,
  maxAgeMs: 86_400_000,
  feedBytes: 4 << 20,
  feedLingerMs: 60_000,
  historyBytes: 32 << 20,
  drainMs: 5_000,
  usageDays: 31,
  usageReads: 16,
  usageMs: 10_000,
}
