/** Every limit of a gateway except those of its keys. `docs/reference/limits.md` lists them. Times are in ms. */
export interface Limits {
  /** Open WebSocket and SSE connections of all keys. */
  readonly connections: number
  /** Open TCP connections of all clients, with a key or without. Further ones are closed at once. */
  readonly sockets: number
  /** Time in which the headers of a request must arrive. */
  readonly headersMs: number
  readonly requestMs: number
  readonly uriLength: number
  readonly pageRecords: number
  readonly maxPageRecords: number
  /** Bytes after which a page ends early. */
  readonly pageBytes: number
  /** Bytes of pages in memory that clients have not read yet, of all keys. One key may hold a quarter of it. */
  readonly unsentPageBytes: number
  readonly messageBytes: number
  readonly batchRequests: number
  /** How many more requests above the rate of its key than within it a WebSocket client may send. */
  readonly refusedRequests: number
  readonly topicsPerWebSocket: number
  readonly topicsPerSse: number
  /** Unsent bytes of one client above which nothing more is written to it. */
  readonly unsentBytes: number
  /** Time in which a client with unsent bytes must read some. */
  readonly stallMs: number
  /** Silence after which a stream sends its cursors. */
  readonly heartbeatMs: number
  /** Time between WebSocket pings, and for each pong. */
  readonly pingMs: number
  /** Age at which a WebSocket or SSE connection ends; up to a tenth less, so that clients do not reconnect together. */
  readonly maxAgeMs: number
  /** Bytes of the newest rendered records in memory, per topic that is read live. */
  readonly feedBytes: number
  /** Time for which a topic without readers is still followed. */
  readonly feedLingerMs: number
  /** Bytes of rendered history in memory, of all topics. Whole pages take up to a quarter of it in addition. */
  readonly historyBytes: number
  /** Time for open connections to end when the gateway closes, and then for usage to be written. */
  readonly drainMs: number
  /** Days of usage in one answer. */
  readonly usageDays: number
  /** Requests for usage that may wait at a time. */
  readonly usageReads: number
  /** Time between two writes of the usage of keys. */
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
