import type { BrokerConnection } from './broker-connection.ts'
import { NoAnswerError } from './broker-error.ts'

/** One attempt of several at the same thing. */
export interface Attempt {
  /** Whether it has ended, or was given up: nobody waits for it any more. */
  readonly over: boolean
}

/** A connection over which an attempt that is over sends nothing more, however late it gets its turn. */
export function forAttempt(connection: BrokerConnection, attempt: Attempt): BrokerConnection {
  return {
    get usable() {
      return connection.usable
    },
    request(api, ...args) {
      if (attempt.over) return Promise.reject(new NoAnswerError('the attempt was given up'))
      return connection.request(api, ...args)
    },
    close: () => connection.close(),
  }
}
