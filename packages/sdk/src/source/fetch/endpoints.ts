import { errorReason } from '@headrace/queue'
import type { Logger } from 'pino'
import type { AdaptiveLimitOptions } from './adaptive-limit.ts'
import type { EndpointFailure } from './endpoint-failure.ts'
import { type Endpoint, type EndpointHealth, EndpointState } from './endpoint-state.ts'
import { createCondition, type KnownEndpoints } from './known-endpoints.ts'
import { type EachRequest, type EndpointReply, requestEach } from './request-each.ts'
import { type EndpointRequest, requestOne } from './request-one.ts'

export interface EndpointsOptions<Client> {
  /** In order of preference. */
  readonly endpoints: readonly Endpoint<Client>[]
  judge(error: unknown): EndpointFailure
  readonly log: Logger
  /** Concurrent requests at each endpoint: `first` at the start, default 4, and `most`, default 64. */
  readonly limits?: Pick<AdaptiveLimitOptions, 'first' | 'most'>
  /**
   * How often each endpoint may fail for one request. Default 6. A failed test of a recovering endpoint counts for
   * every request that waits for it. `overloaded` with `retryAfterMs` does not count while other requests are answered.
   */
  readonly attempts?: number
  readonly now?: () => number
}

/** Endpoints that serve the same data, each with an adaptive limit on concurrent requests. */
export interface Endpoints<Client> {
  /**
   * Asks the first endpoint with capacity, then others, or after a pause the same one again, until one answers.
   * Requests for which no endpoint has capacity wait.
   *
   * @throws the last error, once every endpoint has failed `attempts` times, asks for a pause of more than 60 s, or
   *   refuses this client.
   */
  request<T>(request: EndpointRequest<Client, T>): Promise<T>
  /**
   * Asks each endpoint once and returns the replies in their order. It waits for an endpoint at its limit. It skips one
   * that is backing off, unless all are: then it waits for the first to recover. Endpoints that refuse this client, or
   * with `untilAnswered` were not asked, are left out.
   *
   * @throws what is `final`; the refusal, where every endpoint refuses this client.
   */
  requestEach<T>(request: EachRequest<Client, T>): Promise<EndpointReply<T>[]>
  /**
   * Reports an invalid answer of `request` or `requestEach`. `request` avoids the endpoint for 500 ms, doubled up to 60
   * s for each further rejection soon after. `requestEach` with `untilAnswered` asks it after the others.
   */
  reject(client: Client, error: unknown): void
  /**
   * Backs off from an endpoint at once where `error` is `overloaded` with `retryAfterMs`. For requests of several
   * concurrent calls, which end later.
   */
  notePause(client: Client, error: unknown): void
  readonly width: number
  health(): readonly EndpointHealth[]
}

export function createEndpoints<Client>(options: EndpointsOptions<Client>): Endpoints<Client> {
  const { endpoints, judge, log, limits, attempts = 6, now = () => performance.now() } = options
  const all = endpoints.map(({ name, client }, index) => {
    const isNamedTwice = endpoints.some((other, at) => at !== index && other.name === name)
    const distinctName = isNamedTwice ? `${name} (${index + 1})` : name
    return new EndpointState({ name: distinctName, client }, { ...limits, now })
  })
  const known: KnownEndpoints<Client> = { all, judge, log, changes: createCondition() }

  return {
    request: (request) => requestOne(known, request, attempts),
    requestEach: (request) => requestEach(known, request),
    reject(client, error) {
      const rejected = all.find((one) => one.client === client)
      if (!rejected) return
      rejected.error = error
      if (!rejected.reject()) return
      log.warn({ endpoint: rejected.name, reason: errorReason(error) }, 'answer rejected, endpoint avoided for a while')
    },
    notePause(client, error) {
      const asking = all.find((one) => one.client === client)
      const failure = judge(error)
      if (!asking || failure.kind !== 'overloaded' || failure.retryAfterMs === undefined) return
      asking.error = error
      asking.pause(failure.retryAfterMs)
    },
    get width() {
      return all.reduce((sum, { isRefused, limit }) => sum + (isRefused ? 0 : limit.limit), 0)
    },
    health: () => all.map((one) => one.health()),
  }
}
