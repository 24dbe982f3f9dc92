import { afterEach } from 'vitest'
import { type FakeNode, startFakeNode } from '../../testbed/chain/fake-node.ts'
import type { ReplayedNode } from '../../testbed/recorded-chain/answer-request.ts'
import type { ReplayedChain } from '../../testbed/recorded-chain/replayed-chain.ts'
import { type EventSettings, type EventStep, type EvmCheckpoint, type RpcLog, readEvents } from '../src/index.ts'
import type { ConnectHttp } from '../src/rpc/http-connection.ts'
import { blockSettings } from './block-settings.ts'
import { createRecordingSource, type RecordingSource } from './recording-source.ts'

export interface CountedNode {
  readonly rpc: string
  readonly requests: number
  /** Calls of a method. */
  count(method: string): number
}

/** Nodes of replayed chains, which end with each test. */
export function useReplayedNodes(): { serve(node: ReplayedNode): Promise<CountedNode> } {
  const nodes: FakeNode[] = []
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.close()))
  })
  return {
    async serve(node) {
      const calls = new Map<string, number>()
      let requests = 0
      const served = await startFakeNode({
        ...node,
        fault(call) {
          calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
          return node.fault?.(call)
        },
      })
      served.fault = () => {
        requests++
        return undefined
      }
      nodes.push(served)
      return {
        rpc: served.rpc,
        get requests() {
          return requests
        },
        count: (method) => calls.get(method) ?? 0,
      }
    },
  }
}

/** From block 0 on, with frequent requests for the head. */
export function eventSettings(
  rpc: EventSettings['rpc'],
  changes: Partial<EventSettings> & Pick<EventSettings, 'events'>,
): EventSettings {
  const { receipts: _, logs: __, ...settings } = blockSettings(rpc)
  return { ...settings, ...changes }
}

interface ReadOptions {
  readonly published?: readonly EvmCheckpoint[]
  /** Ends after this number of blocks. Default: when the source ends. */
  readonly count?: number
  onStep?(step: EventStep): void
  readonly connect?: ConnectHttp
}

/** Reads events after the published blocks. */
export async function readAll(
  settings: EventSettings,
  { published = [], count = Number.POSITIVE_INFINITY, onStep, connect }: ReadOptions = {},
): Promise<RecordingSource<EventStep>> {
  const source = createRecordingSource<EventStep>(published)
  const events = readEvents(settings, source, connect)
  for (let next = 1; next <= count; next++) {
    await source.take(events, next)
    const step = source.steps[next - 1]
    if (!step) break
    onStep?.(step)
  }
  await events.return()
  return source
}

interface Events {
  readonly hash: string
  readonly logs: readonly RpcLog[]
}

/** The logs of each block that is canonical after these steps. */
export function eventsOf(steps: readonly EventStep[]): readonly Events[] {
  const canonical: { number: number; events: Events }[] = []
  for (const { block, logs, revertTo } of steps) {
    while (revertTo !== undefined && canonical.length > 0 && canonical.at(-1)!.number > (revertTo?.number ?? -1))
      canonical.pop()
    canonical.push({ number: block.number, events: { hash: block.hash, logs } })
  }
  return canonical.map(({ events }) => events)
}

/** The logs of each block of a chain that a test selects itself. */
export function eventsOn(chain: ReplayedChain, isWanted: (log: RpcLog, number: number) => boolean): readonly Events[] {
  return Array.from({ length: chain.head + 1 }, (_, number) => {
    const { block, receipts } = chain.read(chain.at(number)!)
    const logs = receipts.flatMap(({ logs }) => logs)
    return { hash: block.hash, logs: logs.filter((log) => isWanted(log, number)) }
  })
}
