import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { apiKeys } from '../../../queue/test/faults/proxied-kafka.ts'
import type { KafkaProxy, ProxyFault } from '../../../testbed/kafka/proxy.ts'
import { type ConnectorProcess, startConnector } from '../whole-path/connector-process.ts'
import { writerOf } from './clock-project.ts'

interface Moment extends Pick<ProxyFault, 'apiKey' | 'skip'> {
  /** The run's request after which it is suspended. Default: its start. */
  readonly after?: number
  /** Whether the request names the connector instance. Otherwise only one process may be starting. */
  readonly named: boolean
}

/** A run opens its writer after its claim, which is a Produce. */
export const moments = {
  EndTxn: { apiKey: apiKeys.endTxn, skip: 4, named: true },
  InitProducerId: { apiKey: apiKeys.initProducerId, named: true },
  Produce: { apiKey: apiKeys.produce, after: apiKeys.endTxn, named: true },
  ListOffsets: { apiKey: apiKeys.listOffsets, after: apiKeys.produce, named: false },
  Fetch: { apiKey: apiKeys.fetch, after: apiKeys.produce, named: false },
} as const satisfies Record<string, Moment>

export interface RunOptions {
  readonly dir: string
  readonly chain: string
  readonly proxy: KafkaProxy
}

export function startRun({ dir, chain, proxy }: RunOptions): ConnectorProcess {
  return startConnector(['run', dir, '--set', `chain=${chain}`, '--queue', `kafka://127.0.0.1:${proxy.port}`])
}

export async function started({ child, ended }: ConnectorProcess): Promise<void> {
  const lines = createInterface({ input: child.stderr! })
  for await (const line of lines) if (JSON.parse(line).msg === 'run started') return
  throw new Error(`The run ended before it had started: ${JSON.stringify(await ended)}`)
}

/**
 * Starts a run, and stops its process when the broker has sent the response and before the process has read it. The
 * response waits in the socket of the stopped process.
 */
export async function startSuspended(options: RunOptions, at: keyof typeof moments): Promise<ConnectorProcess> {
  const { proxy, chain } = options
  const { apiKey, skip = 0, after, named }: Moment = moments[at]
  const writer = writerOf(chain)
  const hold = () => proxy.inject({ apiKey, skip, what: 'answer', how: 'hold', containing: named ? writer : undefined })
  const held =
    after === undefined
      ? hold()
      : proxy.inject({ apiKey: after, what: 'request', how: 'pass', containing: writer }).happened.then(hold)
  const run = startRun(options)
  const ended = run.ended.then((end) => {
    throw new Error(`The run ended before it was suspended: ${JSON.stringify(end)}`)
  })
  const injection = await Promise.race([held, ended])
  await Promise.race([injection.happened, ended])
  ended.catch(() => {})
  run.child.kill('SIGSTOP')
  await delay(stoppingMs)
  await injection.release()
  return run
}

const stoppingMs = 20
