import type { Schema } from '../connector/schema.ts'
import type { Source } from '../connector/source.ts'
import type { Units } from '../connector/unit.ts'
import {
  ChildEndedError,
  ChildNotReadyError,
  childEndsAtStart,
  childFailed,
  protocolViolation,
  SourceUnavailableError,
} from './child-errors.ts'
import { type ChildMessages, childMessages } from './child-messages.ts'
import { type Child, startChild } from './child-process.ts'
import { toUnit } from './child-unit.ts'
import type { ProcessConnectorOptions, ProcessLimits } from './process-connector.ts'
import { type ChildMessage, frameLimitBytes, type ParentMessage, protocolVersion } from './process-message.ts'

export interface ReadChildOptions extends ProcessConnectorOptions {
  readonly limits: ProcessLimits
  /** How often in a row a child has ended before it was ready. */
  readonly failedStarts: { inARow: number }
}

const mostFailedStarts = 2

/** Starts a child, yields the units that it writes, and ends it. */
export async function* readChild(options: ReadChildOptions, source: Source<Schema, unknown>): Units<Schema, unknown> {
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
        child.end('leave')
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

function startMessage(
  { messages, limits }: ReadChildOptions,
  { config, history }: Source<Schema, unknown>,
): ParentMessage {
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
  let late = false
  const timer = setTimeout(() => {
    late = true
    child.end('terminate')
  }, readyMs)
  try {
    const message = await received.next()
    if (message.kind !== 'ready') throw unexpected(child, message)
    if (message.protocol === protocolVersion) return
    throw protocolViolation(`it speaks version ${message.protocol}, and only version ${protocolVersion} is known here`)
  } catch (error) {
    throw late ? new ChildNotReadyError(readyMs) : error
  } finally {
    clearTimeout(timer)
  }
}

function unexpected(child: Child, message: ChildMessage): Error {
  switch (message.kind) {
    case 'failed':
      child.end('leave')
      return message.retry ? new SourceUnavailableError(message.text) : childFailed(message.text)
    case 'ready':
      return protocolViolation('it wrote Ready a second time')
    default:
      return protocolViolation(`its first frame holds ${message.kind}; it must hold ready, or failed`)
  }
}

function checkNumber(number: number, wanted: number, committed: number, pendingUnits: number): void {
  if (number !== wanted) {
    throw protocolViolation(
      `a unit has the number ${number}, and ${wanted} was to come: the first unit is 1, and each next one is one more`,
    )
  }
  if (number > committed + pendingUnits) {
    throw protocolViolation(
      `it wrote unit ${number} when only ${committed} were committed, and ${pendingUnits} may be pending: ` +
        'wait for Committed before writing more',
    )
  }
}
