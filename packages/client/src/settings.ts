import { InvalidOptionError } from './errors.ts'
import type { ClientOptions } from './options.ts'
import type { Service } from './service/service.ts'

export interface ClientContext extends Settings {
  readonly service: Service
}

export interface Settings {
  readonly transport: 'auto' | 'websocket' | 'sse'
  readonly bufferSize: number
  readonly retryForMs: number
  readonly onRetry: ClientOptions['onRetry']
}

/** @throws {InvalidOptionError} */
export function settings(options: ClientOptions): Settings {
  const { transport = 'auto', bufferSize = 4 << 20, retryForMs = 300_000, onRetry } = options
  if (!['auto', 'websocket', 'sse'].includes(transport))
    throw new InvalidOptionError(`transport is "${transport}". Allowed: "auto", "websocket", "sse".`)
  if (!(bufferSize > 0)) throw new InvalidOptionError(`bufferSize is ${bufferSize}. It must be above 0.`)
  if (!(retryForMs >= 0)) throw new InvalidOptionError(`retryForMs is ${retryForMs}. It must be 0 or above.`)
  return { transport, bufferSize, retryForMs, onRetry }
}
