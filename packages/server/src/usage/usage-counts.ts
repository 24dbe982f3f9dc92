/** What a key has used in some time: what an operator charges for, or looks at before raising a limit. */
export interface UsageCounts {
  /** REST requests, openings of streams and calls over a WebSocket that were within the key's limits. */
  requests: number
  /** The same where they were turned away: over a limit of the key, or from an origin that is not its own. */
  refused: number
  /** Records sent, in all protocols. One that several connections read counts for each. */
  records: number
  /** Bytes sent, with the headers and frames of the protocols, without those of TLS. */
  bytes: number
  /** Time that WebSocket and SSE connections were open, all added up. */
  connectionSeconds: number
}

export function noUsage(): UsageCounts {
  return { requests: 0, refused: 0, records: 0, bytes: 0, connectionSeconds: 0 }
}

/** What several parts come to together. */
export function sumUsage(parts: readonly Readonly<UsageCounts>[]): UsageCounts {
  const sum = noUsage()
  for (const part of parts) {
    sum.requests += part.requests
    sum.refused += part.refused
    sum.records += part.records
    sum.bytes += part.bytes
    sum.connectionSeconds += part.connectionSeconds
  }
  return sum
}
