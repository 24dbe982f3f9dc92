import type { Socket } from 'node:net'

/** Number of checks in the time in which a client must take something. */
const checks = 10

/**
 * Reports regularly whether a client has stalled: it has taken nothing for `stallMs` (up to a tenth more) although
 * bytes were unsent. The function it returns ends that.
 */
export function watchStall(socket: Socket, stallMs: number, report: (isStalled: boolean) => void): () => void {
  let before = progressOf(socket)
  let quiet = 0
  const timer = setInterval(() => {
    const now = progressOf(socket)
    quiet = now === before && socket.writableLength > 0 ? quiet + 1 : 0
    before = now
    report(quiet >= checks)
  }, stallMs / checks)
  return () => clearInterval(timer)
}

/** Changes with every byte that the operating system takes. Within one long write only the handle counts them. */
function progressOf(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize: number } | null }
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`
}
