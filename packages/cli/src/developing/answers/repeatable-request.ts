import { createHash } from 'node:crypto'
import type { HttpRequest } from '@headrace/sdk'
import { hasFailed, readCalls } from './json-rpc.ts'
import type { KeptAnswer } from './kept-answer.ts'

/** A request that may be answered with what was answered before. */
export interface RepeatableRequest {
  /** The same for the same request. A hash: URLs and headers hold secrets. */
  readonly key: string
  /** Of JSON-RPC calls. */
  readonly ids?: readonly unknown[]
}

/** Tells a GET and JSON-RPC calls that read from all others, of which `undefined` is given. */
export function repeatableRequest({ method, url, headers, body }: HttpRequest): RepeatableRequest | undefined {
  if (headers.accept?.includes('text/event-stream')) return undefined
  if (method === 'GET' && body === undefined) return { key: keyOf([method, url, sorted(headers)]) }
  const calls = method === 'POST' && body !== undefined ? readCalls(body) : undefined
  return calls && { key: keyOf([method, url, sorted(headers), calls.body]), ids: calls.ids }
}

/** Whether an answer is worth giving again. */
export function isGood({ status, body }: Pick<KeptAnswer, 'status' | 'body'>, { ids }: RepeatableRequest): boolean {
  if (status < 200 || status >= 300) return false
  return ids === undefined || (typeof body === 'string' && !hasFailed(body))
}

function sorted(headers: HttpRequest['headers']): [string, string][] {
  return Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))
}

function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}
