/** RFC 6455, section 7.4. */
export interface CloseReason {
  readonly code: number
  readonly meaning: string
  /** Whether the client may reconnect, and where it continues. */
  readonly comeBack:
    | 'no'
    | 'yes'
    | 'yes, from the last cursor'
    | 'yes, and `subscribe` then returns the earliest position'
}

const table = {
  protocolError: { code: 1002, meaning: 'an invalid WebSocket frame', comeBack: 'no' },
  unsupportedData: { code: 1003, meaning: 'a binary message', comeBack: 'no' },
  invalidText: { code: 1007, meaning: 'a text that is not UTF-8', comeBack: 'no' },
  tooManyFragments: { code: 1008, meaning: 'a message in more than 16,384 fragments', comeBack: 'yes' },
  messageTooLarge: { code: 1009, meaning: 'a message that is too large', comeBack: 'no' },
  draining: { code: 1012, meaning: 'the gateway stops', comeBack: 'yes, from the last cursor' },
  overloaded: {
    code: 1013,
    meaning: 'a topic cannot be read at the moment',
    comeBack: 'yes, from the last cursor',
  },
  key_revoked: { code: 4401, meaning: 'the key was revoked or has expired', comeBack: 'no' },
  permission_lost: { code: 4403, meaning: 'the key no longer covers a subscribed topic', comeBack: 'no' },
  slow_consumer: {
    code: 4410,
    meaning: 'the client did not read for too long',
    comeBack: 'yes, from the last cursor',
  },
  no_pong: { code: 4411, meaning: 'the client sent no pong', comeBack: 'yes' },
  max_age: {
    code: 4412,
    meaning: 'the connection has reached its maximal age',
    comeBack: 'yes, from the last cursor',
  },
  position_unavailable: {
    code: 4413,
    meaning: 'the next records were removed or are missing',
    comeBack: 'yes, and `subscribe` then returns the earliest position',
  },
  rate_limited: {
    code: 4429,
    meaning: 'too many requests above the rate of the key',
    comeBack: 'yes, from the last cursor',
  },
} as const

/** 1002, 1003, 1007, 1009 and 4400 to 4409 are final. */
export const closeReasons: Readonly<Record<keyof typeof table, CloseReason>> = table
