import type { HttpRequest } from '@headrace/sdk'
import { withIds } from './json-rpc.ts'
import { type KeptAnswer, type KeptAnswers, largestAnswer } from './kept-answer.ts'
import { isGood, type RepeatableRequest, repeatableRequest } from './repeatable-request.ts'

type Fetch = typeof globalThis.fetch

/** Makes a `fetch` that gives answers of earlier runs again, each once, and keeps those that it gets for the next run. */
export function rememberFetch(fetch: Fetch, answers: KeptAnswers): Fetch {
  return async (input, init) => {
    const request = await describe(input, init)
    const repeatable = request && repeatableRequest(request)
    if (!repeatable) return fetch(input, init)
    signalOf(input, init)?.throwIfAborted()
    const kept = await answers.recall(repeatable.key)
    if (kept) return toResponse(kept, repeatable)
    const response = await fetch(input, init)
    if (endsSoon(response)) void keep(response.clone(), repeatable, answers)
    return response
  }
}

/** What is asked for; `undefined` where that is no plain request, or asks for a fresh answer itself. */
async function describe(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Promise<HttpRequest | undefined> {
  try {
    const request = input instanceof Request ? input : undefined
    if (asksAnew.has(init?.cache ?? request?.cache ?? 'default')) return undefined
    const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
    const url = new URL(request?.url ?? String(input))
    url.hash = ''
    const headers = Object.fromEntries(new Headers(init?.headers ?? request?.headers))
    const body = init?.body ?? (request?.body ? await request.clone().text() : undefined)
    if (body !== undefined && typeof body !== 'string') return undefined
    return { method, url: url.href, headers, ...(body !== undefined && { body }) }
  } catch {
    // What cannot be understood here is for fetch itself to refuse.
    return undefined
  }
}

const asksAnew = new Set(['no-store', 'no-cache', 'reload'])

function signalOf(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): AbortSignal | null | undefined {
  return init?.signal ?? (input instanceof Request ? input.signal : undefined)
}

function toResponse(
  { status, statusText, headers, body, url, ids: from }: KeptAnswer,
  { ids }: RepeatableRequest,
): Response {
  const content = ids && from && typeof body === 'string' ? withIds(body, from, ids) : body
  // A status that allows no body takes none, not even an empty one.
  const response = new Response(content.length === 0 ? null : Buffer.from(content), { status, statusText, headers })
  return Object.defineProperty(response, 'url', { value: url })
}

/** A copy of what never ends, or is very long, would be held in memory for nothing. */
function endsSoon({ ok, headers }: Response): boolean {
  const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false
  return ok && !isStream && Number(headers.get('content-length') ?? 0) <= largestAnswer
}

async function keep(response: Response, repeatable: RepeatableRequest, answers: KeptAnswers): Promise<void> {
  const bytes = await readUpTo(response, largestAnswer)
  if (!bytes) return
  const { status, statusText, url } = response
  const body = repeatable.ids ? Buffer.from(bytes).toString() : bytes
  const answer = { status, statusText, url, headers: Object.fromEntries(response.headers), body }
  if (isGood(answer, repeatable))
    answers.keep(repeatable.key, { ...answer, ...(repeatable.ids && { ids: repeatable.ids }) })
}

/** Reads a body whole; `undefined` where it is longer, or does not come whole. */
async function readUpTo({ body }: Response, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length
      if (length > most) return undefined
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(chunks)
}
