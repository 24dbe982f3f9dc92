import type { IncomingMessage } from 'node:http'
import { RefusedError } from '../errors.ts'
import type { Limits } from '../options/limits.ts'

const versions: readonly string[] = ['1.0', '1.1']

/** `uri-host [":" port]` (RFC 9110, section 7.2; RFC 3986, section 3.2.2), or empty. */
const hostValue = /^(?:\[[0-9A-Za-z:.%~_-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?$/

export function refusalOfHead(request: IncomingMessage, limits: Limits, isDraining: boolean): RefusedError | undefined {
  const malformed = refusalOfHeaders(request)
  if (malformed) return malformed
  if (request.url!.length > limits.uriLength) return uriTooLong(limits)
  if (!isDraining) return undefined
  return new RefusedError('draining', 'This gateway is stopping. Connect again to reach another one.', {
    headers: { connection: 'close' },
  })
}

/** Checks what HTTP forbids but Node accepts. */
function refusalOfHeaders(request: IncomingMessage): RefusedError | undefined {
  const { httpVersion, headers } = request
  if (!versions.includes(httpVersion)) return malformed('This version of HTTP is not supported. Use HTTP/1.1.')
  const hosts = headerValues(request, 'host')
  // RFC 9112, section 3.2.
  if (hosts.length > 1) return malformed('There are several Host headers; one is allowed.')
  if (hosts.length === 0 && httpVersion === '1.1') return malformed('The Host header is missing.')
  if (!hostValue.test(hosts[0] ?? '')) return malformed('The Host header is neither a host nor a host and port.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new RefusedError('expectation_failed', 'The Expect header may hold 100-continue only.')
  return undefined
}

/** The values of all headers with this name. `headers` has only the first of several. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && isNamed(rawHeaders[at - 1]!, name))
}

function isNamed(header: string, name: string): boolean {
  return header.length === name.length && header.toLowerCase() === name
}

function malformed(message: string): RefusedError {
  // The client may see the end of a request elsewhere (request smuggling).
  return new RefusedError('malformed_request', message, { headers: { connection: 'close' } })
}

export function uriTooLong({ uriLength }: Limits): RefusedError {
  return new RefusedError('uri_too_long', `The request target may have at most ${uriLength} characters.`)
}

export function pathNotEncoded(): RefusedError {
  return new RefusedError('malformed_request', 'The path is not valid percent-encoding.')
}
