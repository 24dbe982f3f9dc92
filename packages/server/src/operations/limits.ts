/**
 * Every number a client can run into, but for those of its key, and every bound on memory. `docs/reference/limits.md`
 * lists them.
 */
export interface Limits {
  /** Open WebSocket and SSE connections of all keys. */
  readonly connections: number
  /** Open TCP connections of all clients, with a key or without: what comes beyond is closed unheard. */
  readonly sockets: number
  /** Time in which the headers of a request must have come, in ms. */
  readonly headersMs: number
  /** Time in which a request must have come whole, in ms. */
  readonly requestMs: number
  /** Characters of a request target. */
  readonly uriLength: number
  /** Records of a page when none are asked for, and at most. */
  readonly pageRecords: number
  readonly maxPageRecords: number
  /** Bytes after which a page ends early. */
  readonly pageBytes: number
  /** Bytes of pages that clients were sent and have not taken, of all keys together; of one key a quarter. */
  readonly unsentPageBytes: number
  /** Bytes of one message from a WebSocket client. */
  readonly messageBytes: number
  /** Requests in one JSON-RPC batch. */
  readonly batchRequests: number
  /** How many more requests over the rate of the key than within it a WebSocket client may send. */
  readonly refusedRequests: number
  readonly topicsPerWebSocket: number
  readonly topicsPerSse: number
  /** Bytes unsent to one client above which nothing more is written to it. */
  readonly unsentBytes: number
  /** Time in which a client with unsent bytes must take some, in ms. */
  readonly stallMs: number
  /** Silence after which a stream says how far it is, in ms. */
  readonly heartbeatMs: number
  /** Time between WebSocket pings, and for each pong, in ms. */
  readonly pingMs: number
  /** Age at which a WebSocket or SSE connection ends, in ms; up to a tenth less, so that not all come back at once. */
  readonly maxAgeMs: number
  /** Rendered bytes of newest records kept per topic that has readers. */
  readonly feedBytes: number
  /** Time a topic without readers is followed on, in ms. */
  readonly feedLingerMs: number
  /** Rendered bytes of history kept, over all topics. Pages as they were sent take up to a quarter of it besides. */
  readonly historyBytes: number
  /** Time connections have to end when the gateway closes, and what is then left of usage to be written, in ms. */
  readonly drainMs: number
  /** Days of usage that can be asked for at once. */
  readonly usageDays: number
  /** Requests for usage that may wait for each other. */
  readonly usageReads: number
  /** Time between two writes of what keys have used, in ms. */
  readonly usageMs: number
}

/** What they are unless a program says otherwise. */
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
