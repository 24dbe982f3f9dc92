import { readFile } from 'node:fs/promises'
import { createEndpoints, type EndpointFailure, parseRetryAfter, type Source, UserError } from '@headrace/sdk'
import type { schema } from './generated/schema.ts'

/** The fields of the API's answer that are used. */
export interface RatesAnswer {
  readonly base: string
  /** By day, then by currency. */
  readonly rates: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export interface RatesApi {
  /** Requests the rates of a day and of all later days. */
  ratesFrom(day: string): Promise<RatesAnswer>
}

/** Opens the API of the setting `url`, or without it the answer in recorded/. */
export function openRatesApi({ config, log, signal, watchEndpoints }: Source<typeof schema, unknown>): RatesApi {
  const { url, base } = config
  if (url === undefined)
    log.warn('reading recorded/rates.json, whose rates are made up: set CONNECTOR_URL in .env to read an API')
  const endpoint =
    url === undefined ? { name: 'recorded', client: recorded } : { name: new URL(url).origin, client: over(url) }
  const endpoints = createEndpoints({ endpoints: [endpoint], judge, log })
  watchEndpoints?.(endpoints.health)
  return {
    ratesFrom: (day) =>
      endpoints.request({
        what: `rates from ${day} on`,
        signal,
        send: (get, signal) => get(`/${day}..?base=${base}`, signal),
      }),
  }
}

/** Sends a GET request to a path of the API. */
type Get = (path: string, signal: AbortSignal) => Promise<RatesAnswer>

const recorded: Get = async () =>
  JSON.parse(await readFile(new URL('../recorded/rates.json', import.meta.url), 'utf8')) as RatesAnswer

function over(api: string): Get {
  return async (path, signal) => {
    const url = api + path
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]) })
    if (response.ok) return (await response.json()) as RatesAnswer
    const { status, headers } = response
    if (status === 429) throw new TooManyRequests(parseRetryAfter(headers.get('retry-after') ?? undefined, Date.now()))
    if (status >= 500) throw new Error(`${url} was answered with ${status}.`)
    throw new UserError('api_refused', `${url} was answered with ${status}. Check CONNECTOR_URL and CONNECTOR_BASE.`)
  }
}

class TooManyRequests extends Error {
  readonly retryAfterMs: number | undefined

  constructor(retryAfterMs: number | undefined) {
    super('The API asks for fewer requests.')
    this.retryAfterMs = retryAfterMs
  }
}

/** Decides what follows from an error: fewer requests, a later retry, or the end of the run. */
function judge(error: unknown): EndpointFailure {
  if (error instanceof TooManyRequests) return { kind: 'overloaded', retryAfterMs: error.retryAfterMs }
  return { kind: error instanceof UserError ? 'final' : 'unavailable' }
}
