import { createInterface } from 'node:readline'
import type { Machine, ServerOptions, ServerProcess } from './machine.ts'

/** One server of a cluster. */
export interface KafkaNode {
  readonly id: number
  /** `host:port` */
  readonly address: string
  /** `kill -9`. Resolves when it has ended. */
  kill(): Promise<void>
  /** Starts it again after `kill`, with its data. Resolves when it serves. */
  restart(): Promise<void>
}

export interface KafkaNodeOptions {
  readonly id: number
  readonly address: string
  readonly machine: Machine
  readonly server: ServerOptions
  readonly signal: AbortSignal | undefined
}

export interface StartingNode {
  readonly node: KafkaNode
  /** Resolves when it serves; rejects with its output if it fails to start. */
  readonly serving: Promise<void>
}

/** Starts a server. Nodes of one cluster wait for each other: start all of them before awaiting `serving`. */
export function startNode({ id, address, machine, server, signal }: KafkaNodeOptions): StartingNode {
  let running: ServerProcess | undefined

  function start(): Promise<void> {
    running = machine.startServer(server)
    return served(running, id, signal)
  }

  const node: KafkaNode = {
    id,
    address,
    async kill() {
      if (!running) return
      await machine.killServer(running)
      running = undefined
    },
    restart: start,
  }
  return { node, serving: start() }
}

async function served(server: ServerProcess, id: number, signal?: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(90_000), ...(signal ? [signal] : [])])
  const printed: string[] = []
  const ready = new Promise<boolean>((resolve) => {
    createInterface({ input: server.all }).on('line', (line) => {
      if (line.includes('Kafka Server started')) resolve(true)
      printed.push(line)
      if (printed.length > 30) printed.shift()
    })
    server.then(() => resolve(false))
    deadline.addEventListener('abort', () => resolve(false))
  })
  if (!(await ready)) throw new Error(`Kafka node ${id} did not start:\n${printed.join('\n')}`)
}
