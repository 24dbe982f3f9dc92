import { type ClientError, RefusedError, UnavailableError } from '../errors.ts'

/** Close codes (RFC 6455, section 7.4) after which coming back is pointless, besides 4400 to 4409. */
const finalCodes = new Set([1002, 1003, 1007, 1009])

const finalReasons: Readonly<Record<number, string>> = { 4401: 'key_revoked', 4403: 'permission_lost' }

/** Makes an error of the end of a socket. */
export function closeError({ code, reason }: { readonly code: number; readonly reason: string }): ClientError {
  const told = reason === '' ? `The connection was closed with code ${code}.` : reason
  if (finalCodes.has(code) || (code >= 4400 && code <= 4409))
    return new RefusedError(finalReasons[code] ?? 'connection_refused', told)
  return new UnavailableError('service_unavailable', told)
}

/** Makes an error of `stream_error`, the end of an event stream. */
export function streamError({ code, detail }: { readonly code: string; readonly detail: string }): ClientError {
  if (Object.values(finalReasons).includes(code)) return new RefusedError(code, detail)
  return new UnavailableError('service_unavailable', detail)
}
