import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A TCP proxy to a gateway that injects faults. */
export interface Line extends AsyncDisposable {
  readonly url: string
  /** Bytes delivered to clients. */
  readonly received: number
  /** Number of opened connections. */
  readonly opened: number
  /** Number of cuts that met an open connection. */
  readonly cuts: number
  /** Resolves when clients have received bytes and no more arrive. */
  quiet(): Promise<void>
  /** Resolves when no connection is open. */
  unused(): Promise<void>
  /** Whether requests to upgrade close the connection. */
  blocksUpgrades: boolean
  /** Whether new connections are refused. */
  down: boolean
  /** Resets all connections. */
  cut(): void
  /** Resets all connections after exactly this many further bytes to clients. Resolves then. */
  cutAfter(bytes: number): Promise<void>
  /** Keeps the open connections, but delivers nothing more on them. */
  hold(): void
  release(): void
}

interface PlannedCut {
  readonly at: number
  readonly done: () => void
}

/** Opens a proxy to a port of this machine. */
export async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  const held = new Set<Socket>()
  let planned: PlannedCut | undefined
  let received = 0
  let opened = 0
  let cuts = 0
  const changes = new EventEmitter()

  const server = createServer((near) => {
    opened++
    if (line.down) return near.resetAndDestroy()
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay()
      socket
        .on('error', () => other.destroy())
        .on('close', () => {
          other.destroy()
          sockets.delete(socket)
          changes.emit('closed')
        })
      socket.on('end', () => other.end())
    }
    near.on('data', (bytes) => {
      if (line.blocksUpgrades && /^upgrade: /im.test(bytes.toString('latin1'))) near.resetAndDestroy()
      else far.write(bytes)
    })
    far.on('data', (bytes) => {
      const left = planned ? Math.min(planned.at - received, bytes.length) : bytes.length
      received += left
      if (!near.write(bytes.subarray(0, left))) {
        far.pause()
        near.once('drain', () => held.has(far) || far.resume())
      }
      if (!planned || received < planned.at) return
      const { done } = planned
      planned = undefined
      // Bytes written before must arrive.
      near.end(() => {
        line.cut()
        done()
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')

  const line: Line = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    blocksUpgrades: false,
    down: false,
    get received() {
      return received
    },
    get opened() {
      return opened
    },
    get cuts() {
      return cuts
    },
    async quiet() {
      for (let before = 0; received === 0 || received !== before; ) {
        before = received
        await delay(300)
      }
    },
    async unused() {
      const signal = AbortSignal.timeout(10_000)
      while (sockets.size > 0) await once(changes, 'closed', { signal })
    },
    cut() {
      if (sockets.size > 0) cuts++
      for (const socket of sockets) socket.resetAndDestroy()
      held.clear()
    },
    cutAfter: (bytes) =>
      new Promise((done) => {
        planned = { at: received + bytes, done }
      }),
    hold() {
      for (const socket of sockets) {
        held.add(socket)
        socket.pause()
      }
    },
    release() {
      for (const socket of held) socket.resume()
      held.clear()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      line.cut()
    },
  }
  return line
}
