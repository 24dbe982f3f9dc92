export type { ApiKey } from './access/keys/api-key.ts'
export {
  type CreatedKey,
  checkNewKey,
  createKey,
  type NewKey,
  type RotateKeyOptions,
  rotateKey,
  type ShowKey,
} from './access/keys/create-key.ts'
export type { Environment } from './access/keys/key-format.ts'
export { checkKeyExists, type ListedKey, listKeys, revokeKey } from './access/keys/stored-keys.ts'
export { serverErrorCodes } from './errors.ts'
export { createGateway, type Gateway } from './gateway.ts'
export { serveGatewayMetrics } from './metrics/serve-gateway-metrics.ts'
export type { GatewayOptions } from './options/gateway-options.ts'
export type { Limits as GatewayLimits } from './options/limits.ts'
export { type HourlyUsage, readUsage, type UsageRange } from './usage/read-usage.ts'
export { sumUsage, type UsageCounts } from './usage/usage-record.ts'
