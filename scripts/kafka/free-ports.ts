import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports of 127.0.0.1 that nobody listens on, all different. Below those that outgoing connections are given: a server
 * that is down for a while finds its port free when it comes back.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(15_000, 32_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}
