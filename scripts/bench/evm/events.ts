import { token } from '../../../packages/testbed/recorded-chain/busy-blocks.ts'
import type { Bench } from '../bench.ts'
import type { Program } from '../program.ts'
import type { ConnectorRun, RunFigures } from './connector-program.ts'
import { ponderName, runPonder } from './ponder.ts'
import type { RequestCounts } from './replay-program.ts'

export interface EventsOptions {
  /** With blocks of 300 logs. */
  readonly node: Program
  readonly connector: Program
  /** Of a project for the events of `token`. */
  readonly folder: string
  /** Of `installPeers`. */
  readonly peers: string
  readonly quick: boolean
}

/** Events of one token per second from a node to where they are stored, and the requests for them. */
export async function eventBenches({ node, connector, folder, peers, quick }: EventsOptions): Promise<Bench[]> {
  const blocks = quick ? 1000 : 100_000
  const rpc = await node.call<string>('rpc')
  const expected = await node.call<number>('eventsIn', blocks)
  const requests = new Map<string, number>()
  const measure = (name: string, read: () => Promise<{ readonly ms: number; readonly events: number }>) => async () => {
    await node.call('counts')
    const { ms, events } = await read()
    if (events !== expected) throw new Error(`${name} has ${events} of ${expected} events.`)
    requests.set(name, (await node.call<RequestCounts>('counts')).requests)
    return (events * 1000) / ms
  }
  const of = `events of one token in ${blocks.toLocaleString('en')} blocks`
  return [
    {
      name: `EVM, ${of}`,
      unit: 'events/s',
      better: 'higher',
      rounds: 1,
      contestants: {
        ours: measure('ours', async () => {
          const run: ConnectorRun = { folder, settings: { rpc, start: 0, end: blocks - 1 } }
          const { ms, records } = await connector.call<RunFigures>('run', run)
          return { ms, events: records }
        }),
        [ponderName]: measure(ponderName, () => runPonder({ peers, rpc, token, blocks })),
      },
      targets: { [ponderName]: 3 },
    },
    {
      name: `EVM, requests for ${of}`,
      unit: 'requests',
      better: 'lower',
      rounds: 1,
      contestants: {
        ours: async () => requests.get('ours')!,
        [ponderName]: async () => requests.get(ponderName)!,
      },
      targets: { [ponderName]: 1 },
    },
  ]
}
