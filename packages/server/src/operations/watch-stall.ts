import type { Socket } from 'node:net'

/** How often a connection is looked at in the time that its client has to take something. */
const looks = 10

/**
 * Watches whether a client takes what is written to its connection, until the function it returns is called. Says so
 * regularly: stalled is who has taken nothing for `stallMs`, a tenth more at most, although something was unsent.
 */
export function watchStall(socket: Socket, stallMs: number, report: (isStalled: boolean) => void): () => void {
  let before = progressOf(socket)
  let quiet = 0
  const timer = setInterval(() => {
    const now = progressOf(socket)
    quiet = now === before && socket.writableLength > 0 ? quiet + 1 : 0
    before = now
    report(quiet >= looks)
  }, stallMs / looks)
  return () => clearInterval(timer)
}

/** Changes with every byte that the operating system takes. Of one long write only the handle knows how far it is. */
function progressOf(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize: number } | null }
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`
}
