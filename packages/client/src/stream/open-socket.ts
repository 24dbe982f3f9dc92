import type { Service } from '../service/service.ts'

/** The upgrade did not come about. A socket does not tell why. */
export class UpgradeFailedError extends Error {
  constructor() {
    super('The WebSocket did not open.')
    this.name = 'UpgradeFailedError'
  }
}

/** Time in which a socket must be open, in ms. */
const openMs = 10_000

/**
 * Opens a socket.
 *
 * @throws {UpgradeFailedError}
 * @throws the signal's reason.
 */
export function openSocket(service: Service, signal: AbortSignal | undefined): Promise<WebSocket> {
  signal?.throwIfAborted()
  const socket = service.openSocket()
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>()
  const fail = (reason: unknown) => {
    reject(reason)
    socket.close()
  }
  const abort = () => fail(signal?.reason)
  const timer = setTimeout(() => fail(new UpgradeFailedError()), openMs)
  signal?.addEventListener('abort', abort)
  socket.onopen = () => resolve(socket)
  socket.onclose = () => reject(new UpgradeFailedError())
  return promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    socket.onopen = null
  })
}
