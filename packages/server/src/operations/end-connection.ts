import type { Socket } from 'node:net'

/** Time in which a client can take what is said last, in ms. */
const lastWordsMs = 1000

/** Says something last on a bare connection, and closes it, also where the client leaves its end of it open. */
export function endConnection(socket: Socket, text: string): void {
  socket.end(text)
  // The client's own end is not seen where nothing is read.
  socket.resume()
  const cut = setTimeout(() => socket.destroy(), lastWordsMs)
  socket.once('close', () => clearTimeout(cut))
}
