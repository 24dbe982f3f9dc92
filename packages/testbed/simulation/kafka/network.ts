import type { BrokerConnection } from '../../../queue/src/kafka/connection/broker-connection.ts'
import { NoAnswerError } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'
import type { Handler } from './requests.ts'
import { apiNames } from './requests.ts'
import { describeAnswer, describeRequest } from './words.ts'

export interface NetworkOptions {
  readonly world: World
  readonly brokers: readonly Broker[]
  readonly handlers: Readonly<Record<string, Handler>>
  /** Whose connections these are. */
  readonly program: Program
  readonly requestTimeoutMs: number
  /** Time on the way in ms. */
  readonly delay: () => number
  /** Until then nothing passes between the program and any broker, in ms since the beginning. */
  readonly cutUntil: () => number
}

/** Connects a program to brokers, in place of TCP: takes the port of an address for the id of the broker. */
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

/** A broker takes the requests of a connection one after the other, and answers in that order. */
function createConnection(options: NetworkOptions, broker: Broker): BrokerConnection {
  const { world, handlers, program, requestTimeoutMs, delay, cutUntil } = options
  const process = broker.process!
  let usable = true
  let inOrder: Promise<unknown> = Promise.resolve()
  let mutedUntil = 0
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})

  function lose(reason: string): void {
    if (!usable) return
    usable = false
    lost.reject(new NoAnswerError(`broker ${broker.id} did not answer: ${reason}`))
  }
  broker.onGone(() => world.later(delay(), () => lose('it closed the connection'), program))

  /** Returns whether it arrives. What was on its way when a connection is closed may come late, or not at all. */
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
    world.lasts(ms)
    // A broker may still have a request to handle when its connection is gone, and handle the repeated one first.
    if (held === 'request held' && world.random.integer(2) === 0) lose('the connection was cut')
    await world.wait(ms, to)
    return true
  }

  /** A quota is exceeded: the answer says so, and the broker takes no other request for as long (KIP-219). */
  function throttled(name: string, answer: unknown): unknown {
    if (!world.strikes('throttled')) return answer
    const throttleMs = 1 + world.random.integer(world.random.pick([100, 1_000, 10_000]))
    world.note(`broker ${broker.id}`, `throttles ${program.name} for ${throttleMs} ms`)
    world.lasts(throttleMs)
    mutedUntil = world.now() + throttleMs
    return name === 'Fetch' ? { throttleMs, errorCode: 0, partitions: [] } : answer
  }

  /** What becomes of one request. Where the connection is lost meanwhile, nobody waits for the answer any more. */
  async function serve(name: string, version: number, args: unknown[]): Promise<unknown> {
    const before = inOrder
    const served = Promise.withResolvers<void>()
    inOrder = served.promise
    const arrives = await travel('request held', process)
    await before
    if (!arrives) return
    if (mutedUntil > world.now()) await world.wait(mutedUntil - world.now(), process)
    if (world.strikes('request lost')) {
      lose('the connection was cut')
      return
    }
    const answer = throttled(name, await handlers[name]!(broker.id, version, ...(args as never[])))
    if (world.strikes('answer lost')) {
      lose('the connection was cut')
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
      world.asks()
      // Buffers may be used again at once.
      const served = serve(name, api.version as number, name === 'Produce' ? copied(args) : args)
      const cancel = world.later(requestTimeoutMs, () => lose('the request timed out'), program)
      try {
        const answer = await Promise.race([served, lost.promise])
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
    close: () => lose('it was closed'),
  }
}

function copied(args: unknown[]): unknown[] {
  const [request] = args as [{ batches: { bytes: Uint8Array }[] }]
  return [{ ...request, batches: request.batches.map((batch) => ({ ...batch, bytes: batch.bytes.slice() })) }]
}
