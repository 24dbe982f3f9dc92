/**
 * WebSocket close codes (RFC 6455, section 7.4). 1002, 1003, 1007, 1009 and 4400 to 4409 are final; after all others
 * the client may come back.
 */
export const closeCodes = {
  unsupportedData: 1003,
  draining: 1012,
  overloaded: 1013,
  key_revoked: 4401,
  permission_lost: 4403,
  slow_consumer: 4410,
  no_pong: 4411,
  position_unavailable: 4413,
} as const
