import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Finding } from '@headrace/queue'

export interface FindingGroup {
  readonly about: 'queue' | 'node' | 'manifest' | 'source' | 'port'
  readonly title: string
  readonly findings: AsyncIterable<Finding> | Iterable<Finding>
}

export function finding(found: Omit<Finding, 'repaired'>): Finding {
  return { ...found, repaired: false }
}

/** As in `engines` of package.json. */
const needed = [22, 22] as const

export function diagnoseNode(version: string = process.versions.node): FindingGroup {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isTooOld = major < needed[0] || (major === needed[0] && minor < needed[1])
  const found = finding({
    severity: 'error',
    code: 'unsupported_node',
    place: `Node ${version}`,
    message: `This is Node ${version}. The command needs ${needed.join('.')} or newer.`,
    remedy: 'Install a newer Node, or start the command with "npx", which uses the Node of the project.',
  })
  return { about: 'node', title: `Node ${version}`, findings: isTooOld ? [found] : [] }
}

export function diagnosePort(port: number, host: string): FindingGroup {
  return { about: 'port', title: `port ${port} of ${host}, for "connector serve"`, findings: tryPort(port, host) }
}

async function* tryPort(port: number, host: string): AsyncGenerator<Finding> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    server.close()
    await once(server, 'close')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    yield finding({
      severity: 'warning',
      code: code === 'EADDRINUSE' ? 'port_in_use' : 'port_unavailable',
      place: `${host}:${port}`,
      message:
        code === 'EADDRINUSE'
          ? `Port ${port} is in use by another program, which may be a gateway.`
          : `A program cannot listen on ${host}:${port}: ${message}.`,
      remedy: 'Give "connector serve" another port with --port, or end the program that uses this one.',
    })
  }
}
