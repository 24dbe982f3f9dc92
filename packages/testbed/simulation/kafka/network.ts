import type { BrokerConnection } from '../../../queue/src/kafka/connection/broker-connection.ts'
import { NoAnswerError } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'
import type { Handler } from './requests.ts'
import { apiNames } from './requests.ts'
import { describeAnswer, describeRequest } from './trace-text.ts'

export interface NetworkOptions {
  readonly world: World
  readonly brokers: readonly Broker[]
  readonly handlers: Readonly<Record<string, Handler>>
  /** The client. */
  readonly program: Program
  readonly requestTimeoutMs: number
  /** Delay of a message, in ms. */
  readonly delay: () => number
  /** The client has no connection to any broker until then, in ms since the start. */
  readonly cutUntil: () => number
}

/** Connects a program to brokers, in place of TCP. The port of an address is the id of the broker. */
export function connectTo(options: NetworkOptions): (address: { readonly port: number }) => Promise<BrokerConnection> {
  const { world, brokers, program, delay } = options
  return async ({ port }) => {
    const broker = brokers.find(({ id }) => id === port)!
    const cutMs = options.cutUntil() - world.now()
    await world.wait(Math.max(delay(), Math.min(cutMs, connectTimeoutMs)), program)
    if (cutMs > connectTimeoutMs) throw new NoAnswerError(`broker ${port} did not answer`)
    if (broker.unreachable) {
      await world.wait(connectTimeoutMs, program)
      throw new NoAnswerError(`broker ${port} did not answer`)
    }
    if (!broker.serving) throw new NoAnswerError(`broker ${port} refused the connection`)
    return createConnection(options, broker)
  }
}

const connectTimeoutMs = 10_000

/** A broker handles the requests of a connection one by one, and answers in that order. */
function createConnection(options: NetworkOptions, broker: Broker): BrokerConnection {
  const { world, handlers, program, requestTimeoutMs, delay, cutUntil } = options
  const process = broker.process!
  let usable = true
  let inOrder: Promise<unknown> = Promise.resolve()
  let mutedUntil = 0
  const disconnected = Promise.withResolvers<never>()
  disconnected.promise.catch(() => {})

  function disconnect(reason: string): void {
    if (!usable) return
    usable = false
    disconnected.reject(new NoAnswerError(`broker ${broker.id} did not answer: ${reason}`))
  }
  broker.onDisconnect(() => world.later(delay(), () => disconnect('it closed the connection'), program))

  /** Delays a message and returns whether it arrives. After a disconnect it may arrive late or not at all. */
  const travel = async (held: 'request held' | 'answer held', to: Program): Promise<boolean> => {
    const cutMs = cutUntil() - world.now()
    if (cutMs > 0) {
      await world.wait(cutMs + delay(), to)
      return usable || world.random.integer(2) === 0
    }
    if (!world.strikes(held)) {
      await world.wait(delay(), to)
      return true
    }
    const ms = world.random.integer(world.random.pick([200, 2_000, 40_000, 90_000]))
    world.note('network', `${held} for ${ms} ms: ${program.name} and broker ${broker.id}`)
    world.faultLasts(ms)
    // The broker may handle a request after the disconnect, even after its repetition.
    if (held === 'request held' && world.random.integer(2) === 0) disconnect('the connection was cut')
    await world.wait(ms, to)
    return true
  }

  /** If a quota is exceeded, the answer gives a time for which the broker handles no request (KIP-219). */
  function throttled(name: string, answer: unknown): unknown {
    if (!world.strikes('throttled')) return answer
    const throttleMs = 1 + world.random.integer(world.random.pick([100, 1_000, 10_000]))
    world.note(`broker ${broker.id}`, `throttles ${program.name} for ${throttleMs} ms`)
    world.faultLasts(throttleMs)
    mutedUntil = world.now() + throttleMs
    return name === 'Fetch' ? { throttleMs, errorCode: 0, partitions: [] } : answer
  }

  /** Serves one request. After a disconnect nobody waits for the answer. */
  async function serve(name: string, version: number, args: unknown[]): Promise<unknown> {
    const before = inOrder
    const served = Promise.withResolvers<void>()
    inOrder = served.promise
    const arrives = await travel('request held', process)
    await before
    if (!arrives) return
    if (mutedUntil > world.now()) await world.wait(mutedUntil - world.now(), process)
    if (world.strikes('request lost')) {
      disconnect('the connection was cut')
      return
    }
    const answer = throttled(name, await handlers[name]!(broker.id, version, ...(args as never[])))
    if (world.strikes('answer lost')) {
      disconnect('the connection was cut')
      return
    }
    await travel('answer held', program)
    served.resolve()
    return answer
  }

  return {
    get usable() {
      return usable
    },
    async request(api, ...args) {
      if (!usable) throw new NoAnswerError(`the connection to broker ${broker.id} is closed`)
      const name = apiNames[api.key]!
      world.countRequest()
      // The caller may reuse its buffers immediately.
      const served = serve(name, api.version as number, name === 'Produce' ? copied(args) : args)
      const cancel = world.later(requestTimeoutMs, () => disconnect('the request timed out'), program)
      try {
        const answer = await Promise.race([served, disconnected.promise])
        world.note(
          program.name,
          () => `${describeRequest(name, args)} at ${broker.id}: ${describeAnswer(name, answer)}`,
        )
        return answer as never
      } catch (error) {
        world.note(program.name, () => `${describeRequest(name, args)} at ${broker.id}: ${(error as Error).message}`)
        throw error
      } finally {
        cancel()
      }
    },
    close: () => disconnect('it was closed'),
  }
}

function copied(args: unknown[]): unknown[] {
  const [request] = args as [{ batches: { bytes: Uint8Array }[] }]
  return [{ ...request, batches: request.batches.map((batch) => ({ ...batch, bytes: batch.bytes.slice() })) }]
}
