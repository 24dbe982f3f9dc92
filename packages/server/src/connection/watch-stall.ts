import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const checks = 10

/**
 * Reports regularly whether a client with unsent bytes has taken none for `stallMs`, until the function it returns is
 * called.
 */
export function watchStall(socket: Socket, stallMs: number, report: (isStalled: boolean) => void): () => void {
  let before: string | undefined
  let quiet = 0
  const timer = setInterval(() => {
    const now = progressOf(socket)
    quiet = now === before && socket.writableLength > 0 ? quiet + 1 : 0
    before = now
    report(quiet >= checks)
  }, stallMs / checks)
  return () => clearInterval(timer)
}

/** A client that does not read its response occupies a connection, and often memory. */
export function destroyWhenStalled(socket: Socket, response: ServerResponse, stallMs: number): void {
  const stop = watchStall(socket, stallMs, (isStalled) => {
    if (isStalled) socket.destroy()
  })
  response.once('close', stop)
}

/** During one long write only the handle counts the bytes that were taken. */
function progressOf(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize: number } | null }
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`
}
