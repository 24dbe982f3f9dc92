/** Why the gateway ends a stream. */
export type EndReason =
  | 'draining'
  | 'key_revoked'
  | 'permission_lost'
  | 'slow_consumer'
  | 'no_pong'
  | 'rate_limited'
  | 'max_age'
  | 'position_unavailable'
  | 'overloaded'

/** What a client is told about the end of its stream. */
export const endMessages: Readonly<Record<EndReason, string>> = {
  draining: 'The gateway is closing. Connect again, and go on from the last cursor.',
  key_revoked: 'The API key has been revoked or has expired.',
  permission_lost: 'The API key no longer covers a subscribed topic.',
  slow_consumer: 'Nothing was taken for too long. Connect again, and go on from the last cursor.',
  no_pong: 'No pong came back.',
  rate_limited: 'Too many requests were over the rate of the key. Send fewer, and go on from the last cursor.',
  max_age: 'The connection has been open for as long as one may. Connect again, and go on from the last cursor.',
  position_unavailable: 'The records that come next have been removed. Connect again to learn what is there.',
  overloaded: 'The topic cannot be read at this moment. Connect again, and go on from the last cursor.',
}
