import type { Caller } from './caller.ts'
import type { BucketState } from './token-bucket.ts'

/**
 * Counts the requests and the connections of callers. Gateways with one store share the limits of each caller: in sum,
 * they allow as many requests and connections as one gateway would. A caller may come with other limits than before: from
 * then on these apply, and what was used already still counts.
 *
 * Answers without a promise if nothing has to be awaited. Never waits for the bucket to be refilled.
 */
export interface LimitStore {
  /**
   * Takes one request, if the caller has one left.
   *
   * @throws {RefusedError} `overloaded`: the store did not answer in time.
   */
  takeRequest(caller: Caller): Taken | Promise<Taken>
  /**
   * Opens a connection, if the caller may have another one.
   *
   * @throws {RefusedError} `overloaded`: the store did not answer in time.
   */
  openConnection(caller: Caller): Opened | Promise<Opened>
}

/** As far as this gateway knows. */
export interface Taken extends BucketState {
  readonly isAllowed: boolean
}

export interface Opened {
  /** Connections that the caller has already. */
  readonly others: number
  /** Absent if the connection is not allowed. Counts once, however often it is called. */
  readonly close?: () => void
}

/** A function that does nothing when it is called again. */
export function once(call: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    call()
  }
}
