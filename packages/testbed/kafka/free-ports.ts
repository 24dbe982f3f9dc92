import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const tried = new Set<number>()

/**
 * Free ports of 127.0.0.1, each returned only once. They are below the range of outgoing connections, so that a server
 * that restarts finds its port free.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(15_000, 32_000)
    if (tried.has(port)) continue
    tried.add(port)
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

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
