import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Connector, Source, Unit, Units } from '../connector/connector.ts'
import type { MessageCodec, Schema } from '../connector/schema.ts'
import { settledWithin } from '../runtime/settled.ts'
import {
  ChildEndedError,
  ChildNotReadyError,
  childEndsAtStart,
  childFailed,
  protocolViolation,
  sourceUnavailable,
} from './child-errors.ts'
import { type ChildMessages, childMessages } from './child-messages.ts'
import { type Child, startChild } from './child-process.ts'
import {
  type ChildMessage,
  type ChildUnit,
  frameLimitBytes,
  type ParentMessage,
  protocolVersion,
} from './process-message.ts'

export interface ProcessConnectorOptions {
  readonly command: readonly string[]
  readonly dir: string
  /** Full names. */
  readonly messages: readonly string[]
  readonly limits?: Partial<ProcessLimits> | undefined
}

export interface ProcessLimits {
  /** Time from its start to Ready, in ms. Default 30,000. */
  readonly readyMs: number
  /** Silence within a frame, in ms. Default 30,000. Silence between frames is not limited. */
  readonly frameMs: number
  /** Time to end after Stop, Failed or Done, before SIGTERM, in ms. Default 5,000. */
  readonly stopMs: number
  /** Time to end after SIGTERM, before SIGKILL, in ms. Default 3,000. */
  readonly terminateMs: number
  /** Units that it may have written before they are committed. Default 1,000. */
  readonly pendingUnits: number
}

/**
 * Makes a connector of a child process in any language that uses the process protocol: see
 * `docs/reference/process-protocol.md` and `proto/process.proto`. Each call of `read` starts a child.
 *
 * After `child_ended`, `child_not_ready`, `child_stalled` and `source_unavailable` the child is started again from the
 * last committed unit. `child_not_started`, `child_protocol` and `child_failed` are `UserError`s and end the run.
 */
export function processConnector(options: ProcessConnectorOptions): Connector {
  const { messages } = options
  const limits = { ...defaultLimits, ...options.limits }
  const failedStarts = { inARow: 0 }
  return { schema: encodedSchema(messages), read: (source) => readChild({ ...options, limits, failedStarts }, source) }
}

/** To end takes less than the 10 s that the runtime waits. */
const defaultLimits: ProcessLimits = {
  readyMs: 30_000,
  frameMs: 30_000,
  stopMs: 5000,
  terminateMs: 3000,
  pendingUnits: 1000,
}

function encodedSchema(messages: readonly string[]): Schema {
  const encode: MessageCodec<unknown>['encode'] = (bytes, writer = new BinaryWriter()) =>
    writer.raw(bytes as Uint8Array)
  const codecs = Object.fromEntries(messages.map((name) => [name, { name, encode }]))
  return { messages: codecs, config: undefined, encoded: true }
}

interface ReadChildOptions extends ProcessConnectorOptions {
  readonly limits: ProcessLimits
  readonly failedStarts: { inARow: number }
}

const mostFailedStarts = 2

async function* readChild(options: ReadChildOptions, source: Source): Units {
  const { messages, limits } = options
  const { signal, log } = source
  const child = await startChild({ ...options, ...limits, log })
  child.send(startMessage(options, source))
  const received = childMessages(child, limits.frameMs)
  const stop = (): unknown => child.end('stop')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    await receiveReady(child, received, limits.readyMs).catch((error: unknown) => {
      if (error instanceof ChildEndedError && ++options.failedStarts.inARow >= mostFailedStarts)
        throw childEndsAtStart(options, child)
      throw error
    })
    options.failedStarts.inARow = 0
    let written = 0
    let committed = 0
    source.onCommit((units) => {
      committed = units
      child.sendCommitted(units)
    })
    for (;;) {
      const message = await received.next()
      if (message.kind === 'unit') {
        checkNumber(message.number, ++written, committed, limits.pendingUnits)
        yield toUnit(message, messages)
      } else if (message.kind === 'progress') source.progress(message.at, message.head)
      else if (message.kind === 'done') {
        child.end('wait')
        return
      } else throw unexpected(child, message)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    const ended = child.end('stop')
    await received.drain()
    await ended
  }
}

function startMessage({ messages, limits }: ReadChildOptions, { config, history }: Source): ParentMessage {
  return {
    kind: 'start',
    protocol: protocolVersion,
    config: JSON.stringify(config),
    history: history().map((checkpoint) => JSON.stringify(checkpoint)),
    messages,
    pendingUnits: limits.pendingUnits,
    frameBytes: frameLimitBytes,
  }
}

async function receiveReady(child: Child, received: ChildMessages, readyMs: number): Promise<void> {
  const first = received.next()
  if (!(await settledWithin(first, readyMs))) {
    child.end('terminate')
    throw new ChildNotReadyError(readyMs)
  }
  const message = await first
  if (message.kind !== 'ready') throw unexpected(child, message)
  if (message.protocol === protocolVersion) return
  throw protocolViolation(`it speaks version ${message.protocol}, and only version ${protocolVersion} is supported`)
}

function unexpected(child: Child, message: ChildMessage): Error {
  switch (message.kind) {
    case 'failed':
      child.end('wait')
      return message.retry ? sourceUnavailable(message.text) : childFailed(message.text)
    case 'ready':
      return protocolViolation('it wrote Ready a second time')
    default:
      return protocolViolation(`its first frame holds ${message.kind}; it must hold ready, or failed`)
  }
}

function checkNumber(number: number, wanted: number, committed: number, pendingUnits: number): void {
  if (number !== wanted) {
    throw protocolViolation(
      `a unit has the number ${number}, and ${wanted} was expected: the first unit is 1, and each next one is one more`,
    )
  }
  if (number > committed + pendingUnits) {
    throw protocolViolation(
      `it wrote unit ${number} when only ${committed} were committed, and ${pendingUnits} may be pending: ` +
        'wait for Committed before writing more',
    )
  }
}

function toUnit(unit: ChildUnit, names: readonly string[]): Unit {
  const { number, checkpoint, revertTo, final, timeMs } = unit
  return {
    checkpoint: parseCheckpoint(checkpoint, 'checkpoint', number),
    messages: messagesByName(unit, names),
    ...(revertTo !== undefined && { revertTo: parseCheckpoint(revertTo, 'revert_to', number) }),
    ...(final !== undefined && { final: parseCheckpoint(final, 'final', number) }),
    ...(timeMs !== undefined && { time: new Date(timeMs) }),
  }
}

/** Only the order within a type matters, because types go to different topics. */
function messagesByName({ number, messages }: ChildUnit, names: readonly string[]): Record<string, Uint8Array[]> {
  const byName = new Map<string, Uint8Array[]>()
  for (const { type, value } of messages) {
    const name = names[type]
    if (name === undefined) {
      const known = names.map((known, place) => `${place} ${known}`).join(', ')
      throw protocolViolation(`unit ${number} holds a message of type ${type}; there are: ${known}`)
    }
    const list = byName.get(name)
    if (list) list.push(value)
    else byName.set(name, [value])
  }
  return Object.fromEntries(byName)
}

function parseCheckpoint(json: string, field: 'checkpoint' | 'revert_to' | 'final', unit: number): unknown {
  try {
    return JSON.parse(json, refuseInexact as (this: unknown, key: string, value: unknown) => unknown)
  } catch (error) {
    const shown = json.length > 100 ? `${json.slice(0, 100)}…` : json
    throw protocolViolation(
      `${field} of unit ${unit} is ${JSON.stringify(shown)}, which is no JSON that can be kept: ${(error as Error).message}`,
    )
  }
}

/** JavaScript rounds large integers, and a rounded position is another position. */
function refuseInexact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  if (/^-?\d+$/.test(context.source ?? ''))
    throw new RangeError(`${context.source} is beyond 2^53; write it as a string`)
  return value
}
