export type EndpointFailure =
  /** The endpoint asks for fewer requests. Its limit is lowered, and it gets no request for `retryAfterMs`. */
  | { readonly kind: 'overloaded'; readonly retryAfterMs?: number | undefined }
  /** The endpoint is unreachable or has failed. It gets no request for a while, longer each time. */
  | { readonly kind: 'unavailable' }
  /** The answer is missing or invalid. Other endpoints are asked first for this request. */
  | { readonly kind: 'wrong' }
  /** The endpoint does not serve this client. It gets no further request. */
  | { readonly kind: 'refused' }
  /** No other attempt can help. The error is thrown at once. */
  | { readonly kind: 'final' }

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3) to ms from `now`. `undefined` where it is absent or invalid.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const value = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const date = /^[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
