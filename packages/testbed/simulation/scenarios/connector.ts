import { systemTopics } from '../../../catalog/src/index.ts'
import { type Connector, defineConnector, type Schema, type Source, type Units } from '../../../sdk/src/index.ts'
import { createSimulatedKafka } from '../kafka/simulated-kafka.ts'
import { createLogOracle } from '../oracle/log-oracle.ts'
import { createRunsOracle } from '../oracle/runs-oracle.ts'
import type { Scenario } from '../scenario.ts'
import type { Program } from '../time/program.ts'
import { disturb } from '../world/disturbances.ts'
import type { FaultKind } from '../world/fault-kinds.ts'
import { createProcesses } from '../world/processes.ts'
import { auditUntil } from './connector-audit.ts'
import { ledger, ledgerSchema } from './connector-project.ts'
import { follow } from './connector-reader.ts'
import { createConnectorRuns } from './connector-run.ts'
import { createSimulatedSource, type Position, type SimulatedSource } from './connector-source.ts'
import { transactionFaults } from './disturb-transaction.ts'
import { exhaustEpochs } from './exhaust-epochs.ts'

export const connectorFaults: readonly FaultKind[] = [
  'request lost',
  'answer lost',
  'request held',
  'answer held',
  'throttled',
  'leader moved',
  'coordinator moved',
  'log compacted',
  'broker killed',
  'broker stays broken',
  'broker paused',
  'broker cut off',
  'epochs used up',
  'markers late',
  'program killed',
  'program paused',
  'clock jumped',
  'second run',
  'run stopped',
  ...transactionFaults,
  'source fails',
  'source slow',
  'source reverts',
]

/** The whole cycle of the SDK: runs of one connector publish a source with reverts, and a reader follows. */
export const connector: Scenario = {
  name: 'connector',
  faults: connectorFaults,
  async run(world) {
    const done = Promise.withResolvers<void>()
    const runs = createRunsOracle(world)
    const source = createSimulatedSource(world, { enough: 6, most: 12, onSettled: lookWhetherDone })
    const oracle = createLogOracle({
      world,
      runs,
      ...ledger,
      unitAt: (position, canonical) => source.unitAt(position, canonical.at(-1)?.name),
      onShown: lookWhetherDone,
    })
    const kafka = createSimulatedKafka(world, {
      settings: world.random.pick([{}, { budgetMs: 12_000, requestTimeoutMs: 8_000 }]),
      onStable(topic, partition, batches) {
        if (topic === systemTopics.owners) runs.claimsShown(batches)
        else oracle.shown(topic, partition, batches)
      },
    })
    const processes = createProcesses(world)
    const runsOfConnector = createConnectorRuns({
      world,
      kafka,
      processes,
      runs,
      name: 'run',
      project: ledger,
      connector: (program) => ledgerConnector(source, program),
    })

    function lookWhetherDone(): void {
      if (world.faulty || !source.settled || !oracle.whole || !oracle.readerHasAll('reader')) return
      if (oracle.canonical().join() === source.entries().join()) done.resolve()
    }

    disturb(world, [
      exhaustEpochs(world, kafka, ledger.writerId),
      ...kafka.disturbances,
      ...processes.disturbances,
      ...runsOfConnector.disturbances,
    ])
    const reader = processes.start(
      'reader',
      (program) => follow({ world, kafka, project: ledger, oracle, onRead: lookWhetherDone }, program),
      { mortal: false },
    )
    const audited = auditUntil(
      { world, kafka, processes, project: ledger, connector: ledgerConnector(source, reader), oracle },
      done.promise,
    )
    await Promise.race([runsOfConnector.keepRunning(audited), reader.ended])
  },
}

export function ledgerConnector(source: SimulatedSource, program: Program): Connector<Schema, unknown> {
  return defineConnector({
    schema: ledgerSchema,
    async *read({ history, signal }: Source<typeof ledgerSchema, Position>): Units<typeof ledgerSchema, Position> {
      for (;;) yield await source.next(history(), signal, program)
    },
  }) as Connector<Schema, unknown>
}
