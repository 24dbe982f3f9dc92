import { systemTopics } from '../../../catalog/src/index.ts'
import {
  type BlockStep,
  type EvmCheckpoint,
  type EvmSettings,
  type RpcReceipt,
  readBlocks,
} from '../../../evm/src/index.ts'
import type { ConnectHttp } from '../../../evm/src/rpc/http-connection.ts'
import { UserError } from '../../../queue/src/index.ts'
import { type Connector, defineConnector, type Schema, type Source, type Units } from '../../../sdk/src/index.ts'
import { ancestry, type SimulatedBlock } from '../chain/block-tree.ts'
import { createSimulatedChain, type SimulatedChain } from '../chain/simulated-chain.ts'
import { createSimulatedNodes } from '../chain/simulated-nodes.ts'
import { createSimulatedKafka } from '../kafka/simulated-kafka.ts'
import { createLogOracle, type SourceUnit } from '../oracle/log-oracle.ts'
import { createRunsOracle } from '../oracle/runs-oracle.ts'
import type { Scenario } from '../scenario.ts'
import { disturb } from '../world/disturbances.ts'
import type { FaultKind } from '../world/fault-kinds.ts'
import { createProcesses } from '../world/processes.ts'
import type { World } from '../world/world.ts'
import { chainFaults } from './chain.ts'
import { connectorFaults } from './connector.ts'
import { ledger, ledgerRecords, ledgerSchema } from './connector-project.ts'
import { follow } from './connector-reader.ts'
import { createConnectorRuns } from './connector-run.ts'
import { exhaustEpochs } from './exhaust-epochs.ts'

type LedgerSchema = typeof ledgerSchema

const sourceFaults: readonly FaultKind[] = ['source fails', 'source slow', 'source reverts']

/** The whole path of a block: from failing nodes through runs of a connector and Kafka to a reader. */
export const evm: Scenario = {
  name: 'evm',
  faults: [...connectorFaults.filter((kind) => !sourceFaults.includes(kind)), ...chainFaults],
  async run(world) {
    const { random } = world
    const blockMs = Math.max(500, world.faultsEnd / 8)
    const chain = createSimulatedChain(world, {
      blockMs,
      head: random.integer(4),
      finalDepth: random.pick([2, 4]),
      last: 8,
    })
    const settings = drawSettings(world, blockMs / 1000)
    const nodes = createSimulatedNodes(world, {
      ...{ chain, blockMs },
      longestFork: 5,
      endpoints: 1 + random.integer(3),
      seesAll: settings.verify === 'roots' || settings.receipts,
    })
    const done = Promise.withResolvers<void>()
    const runs = createRunsOracle(world)
    const oracle = createLogOracle({
      ...{ world, runs },
      ...ledger,
      unitAt: (position, canonical) => unitAt(chain, position as EvmCheckpoint, { canonical, settings }),
      onShown: lookWhetherDone,
    })
    const kafka = createSimulatedKafka(world, {
      onStable(topic, partition, batches) {
        if (topic === systemTopics.owners) runs.claimsShown(batches)
        else oracle.shown(topic, partition, batches)
      },
    })
    const processes = createProcesses(world, { longestPauseMs: 500_000 })
    const runsOfConnector = createConnectorRuns({
      ...{ world, kafka, processes, runs },
      name: 'run',
      project: ledger,
      connector: () => blockConnector({ ...settings, rpc: nodes.urls }, nodes.connect),
      isExcused,
    })

    /** A run may end if nodes contradict the final block. */
    function isExcused(error: unknown): boolean {
      if (!(error instanceof UserError) || error.code !== 'reorganisation_below_final') return false
      const final = oracle.published().find(({ unit }) => unit === oracle.checkpoint!.final!.unit)!
      return nodes.contradicted(chain.tree.byHash(final.name)!)
    }

    function lookWhetherDone(): void {
      if (!chain.isComplete || !oracle.whole || !oracle.readerHasAll('reader')) return
      const blocks = [...ancestry(chain.head)].map(({ hash }) => hash).toReversed()
      if (oracle.canonical().join() === blocks.join()) done.resolve()
    }

    disturb(world, [
      exhaustEpochs(world, kafka, ledger.writerId),
      ...kafka.disturbances,
      ...chain.disturbances,
      ...nodes.disturbances,
      ...processes.disturbances,
      ...runsOfConnector.disturbances,
    ])
    const reader = processes.start(
      'reader',
      (program) => follow({ world, kafka, project: ledger, oracle, onRead: lookWhetherDone }, program),
      { mortal: false },
    )
    await Promise.race([runsOfConnector.keepRunning(done.promise), reader.ended])
  },
}

type DrawnSettings = Omit<EvmSettings, 'rpc'>

function drawSettings({ random }: World, blockSeconds: number): DrawnSettings {
  return {
    start: 'earliest',
    poll: Math.max(0.5, blockSeconds),
    timeout: random.pick([1, 5, 30]),
    confirmations: 0,
    finality: 'finalized',
    verify: random.pick(['links', 'links', 'roots']),
    receipts: random.integer(2) === 0,
    logs: false,
  }
}

function blockConnector(settings: EvmSettings, connect: ConnectHttp): Connector<Schema, unknown> {
  return defineConnector({
    schema: ledgerSchema,
    async *read(source: Source<LedgerSchema, EvmCheckpoint>): Units<LedgerSchema, EvmCheckpoint> {
      for await (const { block, receipts, ...marks } of readBlocks(settings, source, connect))
        yield { ...marks, messages: messagesOf(block, receipts) }
    },
  }) as Connector<Schema, unknown>
}

/** A page for the block and a line for each transaction. */
function messagesOf({ hash, transactions }: BlockStep['block'], receipts: readonly RpcReceipt[]) {
  const gasOf = (index: number) => receipts[index]?.cumulativeGasUsed ?? 'without receipt'
  return {
    Page: [{ Id: hash }],
    Line: transactions.map(({ hash: Id }, index) => ({ Id, Text: `${hash} ${gasOf(index)}` })),
  }
}

function unitAt(
  { tree }: SimulatedChain,
  { hash }: EvmCheckpoint,
  { canonical, settings }: { readonly canonical: readonly SourceUnit[]; readonly settings: DrawnSettings },
): SourceUnit | string {
  const block: SimulatedBlock | undefined = tree.byHash(hash)
  if (!block) return `no chain has block ${hash}`
  const previous = canonical.at(-1)?.name
  if (block.parent?.hash !== previous) return `block ${hash} follows ${block.parent?.hash}, and not ${previous}`
  const { block: whole, receipts } = tree.read(block)
  const { Page, Line } = messagesOf(whole, settings.receipts ? receipts : [])
  return { name: hash, records: ledgerRecords(Page, Line) }
}
