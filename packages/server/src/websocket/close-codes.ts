/** Why a WebSocket is closed, by the code that says so (RFC 6455, section 7.4). */
export interface CloseReason {
  readonly code: number
  readonly meaning: string
  /** Whether the client may connect again, and where it goes on then. */
  readonly comeBack: 'no' | 'yes' | 'yes, from the last cursor' | 'yes, and `subscribe` then says what is there'
}

const table = {
  protocolError: { code: 1002, meaning: 'what was sent is not WebSocket', comeBack: 'no' },
  unsupportedData: { code: 1003, meaning: 'a binary message', comeBack: 'no' },
  invalidText: { code: 1007, meaning: 'a text that is not UTF-8', comeBack: 'no' },
  tooManyFragments: { code: 1008, meaning: 'a message in more than 16,384 fragments', comeBack: 'yes' },
  messageTooLarge: { code: 1009, meaning: 'a message that is too large', comeBack: 'no' },
  draining: { code: 1012, meaning: 'the gateway closes', comeBack: 'yes, from the last cursor' },
  overloaded: {
    code: 1013,
    meaning: 'a topic cannot be read at this moment',
    comeBack: 'yes, from the last cursor',
  },
  key_revoked: { code: 4401, meaning: 'the key was revoked or has expired', comeBack: 'no' },
  permission_lost: { code: 4403, meaning: 'the key no longer covers a subscribed topic', comeBack: 'no' },
  slow_consumer: {
    code: 4410,
    meaning: 'nothing was taken for too long although there was something',
    comeBack: 'yes, from the last cursor',
  },
  no_pong: { code: 4411, meaning: 'no pong came back', comeBack: 'yes' },
  max_age: {
    code: 4412,
    meaning: 'the connection has been open for as long as one may',
    comeBack: 'yes, from the last cursor',
  },
  position_unavailable: {
    code: 4413,
    meaning: 'the records that come next were removed meanwhile, or are missing',
    comeBack: 'yes, and `subscribe` then says what is there',
  },
  rate_limited: {
    code: 4429,
    meaning: 'too many requests over the rate of the key',
    comeBack: 'yes, from the last cursor',
  },
} as const

/**
 * Every reason to close. 1002, 1003, 1007, 1009 and 4400 to 4409 are final; after all others the client may come back.
 */
export const closeReasons: Readonly<Record<keyof typeof table, CloseReason>> = table
