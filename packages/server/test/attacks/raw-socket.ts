import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A TCP connection for arbitrary bytes. */
export interface RawSocket extends Disposable {
  readonly socket: Socket
  /** Received and not yet taken. */
  readonly received: Buffer
  /** Takes the first received bytes. */
  take(bytes: number): Buffer
  /** Waits until a function finds something in the received bytes. */
  until<T>(what: string, find: () => T | undefined): Promise<T>
  /** Waits until the server has closed the connection, and returns all that it sent. */
  readToEnd(): Promise<string>
}

const deadlineMs = 20_000

export async function openRawSocket(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received: Buffer = Buffer.alloc(0)
  const looks = new Set<() => void>()
  const lookAgain = () => {
    for (const look of looks) look()
  }
  // The server may reset the connection at any time.
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    lookAgain()
  })
  socket.on('close', lookAgain)
  await once(socket, 'connect')

  const until = <T>(what: string, find: () => T | undefined) =>
    new Promise<T>((resolve, reject) => {
      const end = (finish: () => void) => {
        clearTimeout(timer)
        looks.delete(look)
        finish()
      }
      const look = () => {
        const found = find()
        if (found !== undefined) end(() => resolve(found))
        else if (socket.closed) end(() => reject(new Error(`Closed without ${what}: ${received.toString('latin1')}`)))
      }
      const timer = setTimeout(() => end(() => reject(new Error(`No ${what} in time`))), deadlineMs)
      looks.add(look)
      look()
    })
  return {
    socket,
    get received() {
      return received
    },
    take(bytes) {
      const taken = received.subarray(0, bytes)
      received = received.subarray(bytes)
      return taken
    },
    until,
    readToEnd: () => until('end', () => (socket.closed ? received.toString('latin1') : undefined)),
    [Symbol.dispose]: () => void socket.destroy(),
  }
}
