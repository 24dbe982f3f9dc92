import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import recorded from '../recorded/rates.json' with { type: 'json' }

/** The recorded days. */
export const days: readonly string[] = Object.keys(recorded.rates)

/** A local server that answers as the API does, with the recorded days up to the one that was shown last. */
export interface RatesServer extends AsyncDisposable {
  readonly url: string
  /** Serves this day and those before it from now on. */
  show(day: string): void
  /** Answers the next request with this status. */
  refuse(status: number, headers?: Record<string, string>): void
}

export async function startRatesServer(): Promise<RatesServer> {
  let last = ''
  let refusal: { readonly status: number; readonly headers: Record<string, string> } | undefined
  const server = createServer(({ url = '' }, response) => {
    if (refusal) response.writeHead(refusal.status, refusal.headers)
    refusal = undefined
    const [from = ''] = url.slice(1).split('..')
    const rates = Object.fromEntries(Object.entries(recorded.rates).filter(([day]) => day >= from && day <= last))
    response.end(JSON.stringify({ ...recorded, rates }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show(day) {
      last = day
    },
    refuse(status, headers = {}) {
      refusal = { status, headers }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
