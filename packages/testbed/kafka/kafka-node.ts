import { untilPrinted } from '../until-printed.ts'
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

/**
 * Starts a server. `serving` resolves when it serves, and rejects with its output if it fails to start. Nodes of one
 * cluster wait for each other: start all of them before awaiting `serving`.
 */
export function startNode({ id, address, machine, server, signal }: KafkaNodeOptions) {
  let running: ServerProcess | undefined

  async function start(): Promise<void> {
    running = machine.startServer(server)
    const deadline = AbortSignal.any([AbortSignal.timeout(90_000), ...(signal ? [signal] : [])])
    await untilPrinted(`Kafka node ${id}`, running, /Kafka Server started/, deadline)
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
