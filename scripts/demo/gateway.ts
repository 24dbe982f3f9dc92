import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** The port where it is free, otherwise 0: any. */
export async function portOrAny(port: number): Promise<number> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(0))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}

/** Resolves when a gateway serves a record of a topic. */
export async function waitForRecord(url: string, key: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal })
    const body = await response.text()
    if (response.ok && JSON.parse(body).data.length > 0) return
    if (!response.ok && response.status !== 404) throw new Error(`The gateway answered ${response.status}: ${body}`)
    await delay(100, undefined, { signal })
  }
}
