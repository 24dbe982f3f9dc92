export { createKey, type NewKey, revokeKey } from './access/keys/create-key.ts'
export type { Environment } from './access/keys/key-format.ts'
export { serverErrorCodes } from './errors.ts'
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
