import type { Batch } from '../batch.ts'
import { InvalidOptionError, RefusedError, UnavailableError } from '../errors.ts'
import type { Settings, StreamOptions } from '../options.ts'
import { isCursor, type Position } from '../position.ts'
import { createRetry, withDeadline } from '../retry.ts'
import { type Credential, type Credentials, refusesCredential } from '../service/credentials.ts'
import type { ClientContext } from '../service/service.ts'
import { createBatches } from './batches.ts'
import type { Connection, ConnectionRequest } from './connection.ts'
import { connectEvents } from './event-connection.ts'
import { connectWebSocket, UpgradeFailedError } from './web-socket-connection.ts'

/** In ms. A longer connection is a success even without records. */
const steadyMs = 10_000

/**
 * Reconnects after a failure.
 *
 * @param places - Topic → start position. Updated with each batch.
 */
export async function* readStream(
  { service, transport, bufferSize, onConnect, ...settings }: ClientContext,
  { filter, fields, onGap = 'error', signal }: Pick<StreamOptions<string>, 'filter' | 'fields' | 'onGap' | 'signal'>,
  places: Map<string, Position>,
): AsyncGenerator<Batch<unknown>, void, void> {
  const topics = [...places.keys()]
  const select = { filter: perTopic<string>(topics, filter), fields: perTopic<readonly string[]>(topics, fields) }
  const toBatches = createBatches(places, onGap)
  const connect = createConnect(transport)
  const retry = createRetry({ ...settings, signal })
  for (;;) {
    let connection: Connection | undefined
    let openedAt = Number.POSITIVE_INFINITY
    let credential: Credential | undefined
    let stopRenewal: (() => void) | undefined
    try {
      credential = await service.credentials.current(signal)
      connection = await connect({ service, credential, places, select, onGap, bufferSize, signal })
      stopRenewal = renewAhead({ credential, credentials: service.credentials, connection })
      fixStarts(places, connection.starts)
      openedAt = performance.now()
      onConnect?.()
      for (;;) {
        const messages = await connection.take()
        // A connection to a topic that cannot be read sends its progress before it ends.
        if (messages.some(({ kind }) => kind === 'record')) retry.succeeded()
        for (const batch of toBatches(messages)) {
          signal?.throwIfAborted()
          yield batch
        }
      }
    } catch (error) {
      // Closed before the wait.
      connection?.close()
      if (performance.now() - openedAt > steadyMs) retry.succeeded()
      if (error === renewed) continue
      // A request that is refused, which has a status, has tried a new token itself.
      const isUntried = connection !== undefined || (error as { status?: number }).status === undefined
      const isReplaced = refusesCredential(error) && isUntried && service.credentials.replace(credential!)
      await retry.after(isReplaced ? new UnavailableError(error.code, error.message) : error)
    } finally {
      stopRenewal?.()
      connection?.close()
    }
  }
}

/** The reason of a connection that ends because there is a new token. Nothing has failed. */
const renewed = Symbol('renewed')

/** In ms, after a failure to get a new token. */
const renewAgainMs = 5000

interface Renewal {
  readonly credentials: Credentials
  readonly credential: Credential
  readonly connection: Connection
}

/** Ends the connection once there is a new token, ahead of the end of the old one. */
function renewAhead({ credentials, credential, connection }: Renewal): () => void {
  if (credential.renewAt === Number.POSITIVE_INFINITY) return () => {}
  let timer = setTimeout(renew, credential.renewAt - Date.now())
  let stopped = false
  return () => {
    stopped = true
    clearTimeout(timer)
  }

  async function renew(): Promise<void> {
    const next = await credentials.current(undefined).catch(() => credential)
    if (next.value !== credential.value) connection.close(renewed)
    else if (!stopped) timer = setTimeout(renew, renewAgainMs)
  }
}

/** Replaces positions such as `latest`, which move. */
function fixStarts(places: Map<string, Position>, starts: ReadonlyMap<string, string>): void {
  for (const [topic, start] of starts) if (!isCursor(places.get(topic)!)) places.set(topic, start)
}

/** An option for all topics or for each, by topic. `undefined`: it is given for none. */
export function perTopic<Value extends string | readonly string[]>(
  topics: Iterable<string>,
  option: Value | Readonly<Record<string, Value | undefined>> | undefined,
): Readonly<Record<string, Value>> | undefined {
  const isForAll = typeof option === 'string' || Array.isArray(option)
  const chosen = (topic: string) => (isForAll ? (option as Value) : (option as Record<string, Value>)?.[topic])
  const given = [...topics].map((topic) => [topic, chosen(topic)] as const).filter(([, value]) => value?.length)
  return given.length === 0 ? undefined : (Object.fromEntries(given) as Readonly<Record<string, Value>>)
}

export function startPlaces(
  { topics, from }: Pick<StreamOptions<string>, 'topics' | 'from'>,
  otherwise: Position,
): Map<string, Position> {
  if (topics.length === 0) throw new InvalidOptionError('topics is empty. Name at least one topic.')
  const positionOf = typeof from === 'object' && from !== null ? (topic: string) => from[topic] : () => from
  return new Map(topics.map((topic) => [topic, positionOf(topic) || otherwise]))
}

/** For the gateway to answer why it refuses a socket, in ms. */
const checkMs = 10_000

/** Switches to SSE if sockets fail to open although the gateway would accept them, as behind a proxy. */
function createConnect(transport: Settings['transport']): (request: ConnectionRequest) => Promise<Connection> {
  let useEvents = transport === 'sse'
  let failures = 0
  return async (request) => {
    if (useEvents) return connectEvents(request)
    try {
      const connection = await connectWebSocket(request)
      failures = Number.NEGATIVE_INFINITY
      return connection
    } catch (error) {
      if (!(error instanceof UpgradeFailedError)) throw error
      await checkRefusal(request)
      // At the first failure, the gateway may have been starting.
      useEvents = transport === 'auto' && ++failures >= 2
      if (useEvents) return connectEvents(request)
      throw new UnavailableError('service_unavailable', 'The WebSocket did not open.', { cause: error })
    }
  }
}

/** A socket does not report why an upgrade was refused. */
async function checkRefusal({ service, signal }: ConnectionRequest): Promise<void> {
  try {
    await withDeadline({ ms: checkMs, signal }, (deadline) => service.get('/ws/v1', {}, deadline))
  } catch (error) {
    const wouldAccept = error instanceof RefusedError && error.code === 'upgrade_required'
    if (!wouldAccept) throw error
  }
}
