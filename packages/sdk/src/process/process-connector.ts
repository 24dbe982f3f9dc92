import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import { encodedSchema } from './encoded-schema.ts'
import { readChild } from './read-child.ts'

export interface ProcessConnectorOptions {
  /** The program and its arguments, at least one word. */
  readonly command: readonly string[]
  /** The folder that it runs in. */
  readonly dir: string
  /** Full names of the messages that it may publish. */
  readonly messages: readonly string[]
  readonly limits?: Partial<ProcessLimits> | undefined
}

/** What a child is held to. */
export interface ProcessLimits {
  /** How long it may take from its start to Ready, in ms. Default 30,000. */
  readonly readyMs: number
  /** How long it may write nothing within a frame, in ms. Default 30,000. Between frames it may be silent for ever. */
  readonly frameMs: number
  /** How long it may take to end after Stop, and after Failed or Done, before SIGTERM comes, in ms. Default 5,000. */
  readonly stopMs: number
  /** How long it may take to end after SIGTERM before SIGKILL comes, in ms. Default 3,000. */
  readonly terminateMs: number
  /** Units that it may have written and that are not committed. Default 1,000. */
  readonly pendingUnits: number
}

/**
 * Makes a connector of a child process that speaks the process protocol, in whatever language: each call of `read` is
 * one child. `docs/reference/process-protocol.md` describes the protocol, `proto/process.proto` its messages.
 *
 * A child that crashes is what a thrown error is: it is started again from the last committed unit. One that ends twice in
 * a row before it is ready has not started, and ends the run. `read` throws
 * `child_ended`, `child_not_ready`, `child_stalled` and `source_unavailable`, after which it is called again, and the
 * `UserError`s `child_not_started`, `child_protocol` and `child_failed`.
 */
export function processConnector(options: ProcessConnectorOptions): Connector<Schema, unknown> {
  const { messages } = options
  const limits = { ...defaultLimits, ...options.limits }
  const failedStarts = { inARow: 0 }
  return { schema: encodedSchema(messages), read: (source) => readChild({ ...options, limits, failedStarts }, source) }
}

/** Two of the groups in which units are committed; and to end takes less than the runtime's grace period of 10 s. */
const defaultLimits: ProcessLimits = {
  readyMs: 30_000,
  frameMs: 30_000,
  stopMs: 5000,
  terminateMs: 3000,
  pendingUnits: 1000,
}
