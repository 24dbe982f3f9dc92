import { readFile } from 'node:fs/promises'
import { createEndpoints, type EndpointFailure, parseRetryAfter, type Source } from '@headrace/sdk'
import type { schema } from './generated/schema.ts'

/** What the API answers, as far as it is used. */
export interface RatesAnswer {
  readonly base: string
  /** By day, then by currency. */
  readonly rates: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export interface RatesApi {
  /** Asks for the rates of a day and of all days after it. */
  ratesFrom(day: string): Promise<RatesAnswer>
}

/** Opens the API of the setting `url`. Without it, the answer under recorded/ stands in. */
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

/** Gets what is at a path of the API. */
type Get = (path: string, signal: AbortSignal) => Promise<RatesAnswer>

const recorded: Get = async () =>
  JSON.parse(await readFile(new URL('../recorded/rates.json', import.meta.url), 'utf8')) as RatesAnswer

function over(url: string): Get {
  return async (path, signal) => {
    const response = await fetch(url + path, { signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]) })
    if (response.ok) return (await response.json()) as RatesAnswer
    throw new UnexpectedStatus(url + path, response)
  }
}

class UnexpectedStatus extends Error {
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(url: string, { status, headers }: Response) {
    super(`${url} was answered with ${status}.`)
    this.status = status
    this.retryAfterMs = parseRetryAfter(headers.get('retry-after') ?? undefined, Date.now())
  }
}

/** What an error says about the API: try again, come back later, or give up. */
function judge(error: unknown): EndpointFailure {
  if (!(error instanceof UnexpectedStatus) || error.status >= 500) return { kind: 'unavailable' }
  return error.status === 429 ? { kind: 'overloaded', retryAfterMs: error.retryAfterMs } : { kind: 'final' }
}
