import type { EndReason } from '../feed/transport.ts'

/** RFC 6455, section 7.4. */
export interface CloseReason {
  readonly code: number
  readonly meaning: string
  readonly reconnect:
    | 'no'
    | 'yes'
    | typeof withNewToken
    | typeof fromCursor
    | 'yes, and `subscribe` then returns the earliest position'
}

const withNewToken = 'no, except with a new token, from the last cursor'
const fromCursor = 'yes, from the last cursor'

/** Found in the frames of a client. */
type FrameFault = 'protocolError' | 'unsupportedData' | 'invalidText' | 'tooManyFragments' | 'messageTooLarge'

/** 1002, 1003, 1007, 1009 and 4400 to 4409 are final. */
export const closeReasons: Readonly<Record<EndReason | FrameFault, CloseReason>> = {
  protocolError: { code: 1002, meaning: 'an invalid WebSocket frame', reconnect: 'no' },
  unsupportedData: { code: 1003, meaning: 'a binary message', reconnect: 'no' },
  invalidText: { code: 1007, meaning: 'a text that is not UTF-8', reconnect: 'no' },
  tooManyFragments: { code: 1008, meaning: 'a message in more than 16,384 fragments', reconnect: 'yes' },
  messageTooLarge: { code: 1009, meaning: 'a message that is too large', reconnect: 'no' },
  draining: { code: 1012, meaning: 'the gateway stops', reconnect: fromCursor },
  overloaded: { code: 1013, meaning: 'a topic cannot be read at the moment', reconnect: fromCursor },
  key_revoked: { code: 4401, meaning: 'the key was revoked or has expired', reconnect: 'no' },
  token_expired: { code: 4401, meaning: 'the token has expired', reconnect: withNewToken },
  quota_exceeded: { code: 4402, meaning: 'the monthly quota of the key is used up', reconnect: 'no' },
  permission_lost: { code: 4403, meaning: 'the key no longer covers a subscribed topic', reconnect: 'no' },
  slow_consumer: { code: 4410, meaning: 'the client did not read for too long', reconnect: fromCursor },
  no_pong: { code: 4411, meaning: 'the client sent no pong', reconnect: 'yes' },
  max_age: { code: 4412, meaning: 'the connection has reached its maximal age', reconnect: fromCursor },
  position_unavailable: {
    code: 4413,
    meaning: 'the next records were removed or are missing',
    reconnect: 'yes, and `subscribe` then returns the earliest position',
  },
  rate_limited: { code: 4429, meaning: 'too many requests above the rate of the key', reconnect: fromCursor },
}
