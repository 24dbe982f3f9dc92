import type { ServerResponse } from 'node:http'
import type { TransportFault } from './replay-fault.ts'

export function sendAnswer(response: ServerResponse, body: readonly Buffer[]): void {
  const length = body.reduce((sum, part) => sum + part.length, 0)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
  response.cork()
  for (const part of body) response.write(part)
  response.end()
  response.uncork()
}

/** Does with an answer what a fault does. */
export function spoilAnswer(response: ServerResponse, fault: TransportFault, body: readonly Buffer[]): void {
  const whole = Buffer.concat(body)
  const half = whole.subarray(0, whole.length >> 1)
  switch (fault) {
    case 'silence':
      break
    case 'truncated_json':
      sendAnswer(response, [half])
      break
    case 'connection_cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
      response.write(half, () => response.destroy())
      break
    case 'retry_after_seconds':
      response.writeHead(429, { 'retry-after': '1' }).end()
      break
    case 'retry_after_date':
      response.writeHead(429, { 'retry-after': new Date(Date.now() + retryAfterMs).toUTCString() }).end()
      break
    default:
      response.writeHead(Number(fault.slice('status_'.length))).end('<html>An error has occurred.</html>')
  }
}

/** A date has whole seconds. */
const retryAfterMs = 1500
