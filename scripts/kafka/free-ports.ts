import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const lookedAt = new Set<number>()

/**
 * Ports of 127.0.0.1 that nobody listens on, none of them handed out before. Below those that outgoing connections are
 * given: a server that is down for a while finds its port free when it comes back.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(15_000, 32_000)
    if (lookedAt.has(port)) continue
    lookedAt.add(port)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

/** Whether a port of 127.0.0.1 can be listened on. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}
