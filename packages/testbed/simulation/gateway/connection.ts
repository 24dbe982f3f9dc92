import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { toRefusal } from '../../../server/src/errors.ts'
import type { EndReason, Gap, Progress, Transport } from '../../../server/src/feed/transport.ts'
import type { Run } from '../../../server/src/history/run.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { GatewayPlace, RunningGateway } from './gateways.ts'
import type { LogTruth } from './log-truth.ts'
import type { SimulatedGateway, StreamedConnection } from './simulated-gateway.ts'

/** A message on a stream. */
export type Message =
  | { readonly kind: 'records'; readonly records: Run['records'] }
  | ({ readonly kind: 'progress' } & Progress)
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'end'; readonly reason: EndReason | 'lost' }

/** The connection was closed, or a request got no answer. */
export class NoReplyError extends Error {}

export interface ClientOptions {
  readonly world: World
  readonly client: Program
  /** Delay of a message, in ms. */
  readonly delay: () => number
  readonly truth: LogTruth
  /** The records of each sealed page that any client has got, by its query. */
  readonly sealed: Map<string, SealedRecords>
}

export type SealedRecords = readonly { readonly partition: number; readonly seq: number }[]

/** Sends a request to a gateway and waits for the answer. A refusal is thrown as the client gets it. */
export function ask<T>(
  options: ClientOptions,
  place: GatewayPlace,
  what: (gateway: SimulatedGateway) => Promise<T>,
): Promise<T> {
  return askProcess(options, place.running, async ({ gateway }) => ({ value: await what(gateway) }))
}

interface Reply<T> {
  readonly value: T
  /** Called when the answer is sent. */
  afterwards?(): void
}

function askProcess<T>(
  { world, client, delay }: ClientOptions,
  running: RunningGateway | undefined,
  what: (running: RunningGateway) => Promise<Reply<T>>,
  answerDelay: () => number = delay,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  if (!running) world.later(delay(), () => reject(new NoReplyError('refused')), client)
  else {
    const { process } = running
    const cancel = world.later(clientPatienceMs, () => reject(new NoReplyError('timed out')), client)
    const deliver = (how: () => void) =>
      world.later(
        answerDelay(),
        () => {
          cancel()
          how()
        },
        client,
      )
    const answer = async () => {
      try {
        const { value, afterwards } = await what(running)
        deliver(() => resolve(value))
        afterwards?.()
      } catch (error) {
        const refusal = toRefusal(error)
        if (refusal.code === 'internal') world.fail(`${process.name} failed: ${(error as Error)?.stack}`)
        deliver(() => reject(refusal))
      }
    }
    world.later(delay(), () => void answer(), process)
    void process.ended.then(() => deliver(() => reject(new NoReplyError('the gateway has ended'))))
  }
  return promise
}

/** Time that a client waits for an answer. */
const clientPatienceMs = 30_000

/** An open stream on the side of its client. */
export interface ClientStream {
  subscribe(params: Parameters<StreamedConnection['subscribe']>[0]): Promise<string>
  /** The next message, acknowledged to the gateway. Undefined: none has arrived in this time. */
  next(withinMs: number): Promise<Message | undefined>
  /** Disconnects. The gateway notices it after a while. */
  cut(noticedAfterMs: number): void
}

export async function openStream(options: ClientOptions, place: GatewayPlace): Promise<ClientStream> {
  const { world, client, delay } = options
  const { running } = place
  const socket = new EventEmitter() as EventEmitter & { bytesWritten: number; writableLength: number }
  Object.assign(socket, { bytesWritten: 0, writableLength: 0 })
  const closed: (() => void)[] = []
  const inbox: { readonly message: Message; readonly bytes: number }[] = []
  let arrival = 0
  let isOpen = true
  let wake = (): void => {}

  /** Messages arrive in order. */
  function delayInOrder(): number {
    arrival = Math.max(arrival, world.now() + delay())
    return arrival - world.now()
  }

  function arrive(message: Message, bytes = 0): void {
    if (!isOpen) return
    world.later(
      delayInOrder(),
      () => {
        inbox.push({ message, bytes })
        wake()
      },
      client,
    )
  }

  function send(message: Message, bytes: number): void {
    socket.bytesWritten += bytes
    socket.writableLength += bytes
    arrive(message, bytes)
  }

  const transport: Transport = {
    protocol: 'websocket',
    socket: socket as unknown as Socket,
    onClose: (listener) => void closed.push(listener),
    records: ({ records, byteLength }) => send({ kind: 'records', records }, byteLength),
    progress: (progress) => send({ kind: 'progress', ...progress }, 100),
    gap: (gap) => send({ kind: 'gap', gap }, 100),
    end(reason) {
      arrive({ kind: 'end', reason })
      close()
    },
  }

  /** The gateway notices the end of the connection. */
  function close(): void {
    for (const listener of closed.splice(0)) listener()
  }

  function acknowledge(bytes: number): void {
    if (bytes === 0) return
    world.later(
      delay(),
      () => {
        socket.writableLength -= bytes
        if (socket.writableLength === 0) socket.emit('drain')
      },
      running!.process,
    )
  }

  const connection = await askProcess(options, running, async ({ gateway }) => ({ value: gateway.open(transport) }))
  void running!.process.ended.then(() => arrive({ kind: 'end', reason: 'lost' }))
  return {
    async subscribe(params) {
      const subscribe = async () => {
        const { cursor, afterReply } = await connection.subscribe(params)
        return { value: cursor, afterwards: afterReply }
      }
      return askProcess(options, running, subscribe, delayInOrder)
    },
    async next(withinMs) {
      if (inbox.length === 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const cancel = world.later(withinMs, resolve, client)
        await promise
        cancel()
      }
      const next = inbox.shift()
      if (next) acknowledge(next.bytes)
      return next?.message
    },
    cut(noticedAfterMs) {
      isOpen = false
      inbox.length = 0
      world.later(noticedAfterMs, close, running!.process)
    },
  }
}
