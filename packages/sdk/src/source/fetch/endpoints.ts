import { errorReason } from '@headrace/queue'
import type { Logger } from 'pino'
import type { AdaptiveLimitOptions } from './adaptive-limit.ts'
import type { EndpointFailure } from './endpoint-failure.ts'
import { createEndpointState, type EndpointHealth } from './endpoint-state.ts'
import type { KnownEndpoint, KnownEndpoints } from './known-endpoints.ts'
import { type EachRequest, type EndpointReply, requestEach } from './request-each.ts'
import { type EndpointRequest, requestOne } from './request-one.ts'
import { createTurns } from './turns.ts'

export interface Endpoint<Client> {
  /** As it is to be seen in logs and metrics: no key in it. Where several have the same, their place is added. */
  readonly name: string
  readonly client: Client
}

export interface EndpointsOptions<Client> {
  /** In order of preference. At least one. */
  readonly endpoints: readonly Endpoint<Client>[]
  /** Tells what an error says about the endpoint. */
  judge(error: unknown): EndpointFailure
  readonly log: Logger
  /** Of each endpoint: requests side by side in the beginning, default 4, and at most, default 64. */
  readonly limits?: Pick<AdaptiveLimitOptions, 'first' | 'most'>
  /**
   * How often each endpoint may fail with one thing. Default 6. While an endpoint rests, a request that tries it in vain
   * has failed for all that wait for it. Where `overloaded` names a time to come again, it is no failure as long as
   * others are answered.
   */
  readonly attempts?: number
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number
}

/** Several endpoints that serve the same thing, each with a limit of its own that is found out as requests are made. */
export interface Endpoints<Client> {
  /**
   * Asks the first endpoint that has room, and others, or after a pause the same one again, until there is an answer.
   * Any number of requests may be made at once: those for which no endpoint has room wait for one.
   *
   * @throws the last error, once every endpoint has failed as often as it may, asks for a rest of more than 60 s, or
   *   refuses this client.
   */
  request<T>(request: EndpointRequest<Client, T>): Promise<T>
  /**
   * Asks each endpoint once and says what came of it, in their order. For one that has no room it waits; one that is
   * away, since it rests or is being tried after a failure, is left alone, unless all of them are: then it waits for the
   * first to be back. Those that refuse this client are left out, and with `untilAnswered` those that were not asked.
   *
   * @throws what is `final`; the refusal, where every endpoint refuses this client.
   */
  requestEach<T>(request: EachRequest<Client, T>): Promise<EndpointReply<T>[]>
  /**
   * Says that an answer that `request` or `requestEach` has given was wrong after all. For 500 ms `request` passes the
   * endpoint over, and twice as long, up to 60 s, each time that it happens again soon after. `requestEach` still asks it,
   * but with `untilAnswered` after the others.
   */
  reject(client: Client, error: unknown): void
  /**
   * Lets an endpoint rest at once where an error is `overloaded` and names a time to come again. For requests of several
   * calls side by side, which end later, or with the failure of another call.
   */
  notePause(client: Client, error: unknown): void
  /** How many requests may run side by side at all of them together. */
  readonly width: number
  health(): readonly EndpointHealth[]
}

export function createEndpoints<Client>(options: EndpointsOptions<Client>): Endpoints<Client> {
  const { judge, log, limits, attempts = 6, now = () => performance.now() } = options
  const all = options.endpoints.map(({ client }, index): KnownEndpoint<Client> => {
    const name = distinctName(options.endpoints, index)
    return { name, client, state: createEndpointState(name, { ...limits, now }), error: undefined }
  })
  const known: KnownEndpoints<Client> = { all, judge, turns: createTurns() }

  return {
    request: (request) => requestOne(known, request, { attempts, log }),
    requestEach: (request) => requestEach(known, request, log),
    reject(client, error) {
      const rejected = all.find((one) => one.client === client)
      if (!rejected) return
      rejected.error = error
      if (!rejected.state.reject()) return
      log.warn({ endpoint: rejected.name, reason: errorReason(error) }, 'answer rejected, asking others for a while')
    },
    notePause(client, error) {
      const asking = all.find((one) => one.client === client)
      const failure = judge(error)
      if (!asking || failure.kind !== 'overloaded' || failure.retryAfterMs === undefined) return
      asking.error = error
      asking.state.pause(failure.retryAfterMs)
    },
    get width() {
      return all.reduce((sum, { state }) => sum + (state.isRefused ? 0 : state.limit.limit), 0)
    },
    health: () => all.map(({ state }) => state.health()),
  }
}

/** Two keys of one provider have the same host. */
function distinctName<Client>(endpoints: readonly Endpoint<Client>[], index: number): string {
  const { name } = endpoints[index]!
  return endpoints.filter((other) => other.name === name).length > 1 ? `${name} (${index + 1})` : name
}
