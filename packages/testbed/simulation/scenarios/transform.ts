import { systemTopics } from '../../../catalog/src/index.ts'
import { createSimulatedKafka } from '../kafka/simulated-kafka.ts'
import { createLogOracle, type LogOracle } from '../oracle/log-oracle.ts'
import { createRunsOracle } from '../oracle/runs-oracle.ts'
import { createTransformOracle } from '../oracle/transform-oracle.ts'
import type { Scenario } from '../scenario.ts'
import { disturb } from '../world/disturbances.ts'
import { createProcesses } from '../world/processes.ts'
import { connectorFaults, ledgerConnector } from './connector.ts'
import { auditUntil } from './connector-audit.ts'
import { ledger } from './connector-project.ts'
import { follow } from './connector-reader.ts'
import { createConnectorRuns } from './connector-run.ts'
import { createSimulatedSource } from './connector-source.ts'
import { exhaustEpochs } from './exhaust-epochs.ts'
import { index, indexConnector, indexRecords } from './transform-project.ts'

/** A connector reads the topics of another one, including reverts, and a reader follows its output. */
export const transform: Scenario = {
  name: 'transform',
  faults: connectorFaults,
  async run(world) {
    const done = Promise.withResolvers<void>()
    const runs = createRunsOracle(world)
    const source = createSimulatedSource(world, { enough: 4, most: 8, onSettled: lookWhetherDone })
    const input: LogOracle = createLogOracle({
      world,
      runs,
      ...ledger,
      unitAt: (position, canonical) => source.unitAt(position, canonical.at(-1)?.name),
      onShown: lookWhetherDone,
    })
    const transformed = createTransformOracle(() => input, indexRecords)
    const output: LogOracle = createLogOracle({
      world,
      runs,
      ...index,
      unitAt: transformed.unitAt,
      onShown: lookWhetherDone,
    })
    const kafka = createSimulatedKafka(world, {
      settings: world.random.pick([{}, { budgetMs: 12_000, requestTimeoutMs: 8_000 }]),
      onStable(topic, partition, batches) {
        if (topic === systemTopics.owners) runs.claimsShown(batches)
        else for (const oracle of [input, output]) oracle.shown(topic, partition, batches)
      },
    })
    const processes = createProcesses(world)
    const common = { world, kafka, processes, runs }
    const inputRuns = createConnectorRuns({
      ...common,
      name: 'run',
      project: ledger,
      connector: (program) => ledgerConnector(source, program),
    })
    const outputRuns = createConnectorRuns({
      ...common,
      name: 'transform',
      project: index,
      connector: () => indexConnector,
    })

    function lookWhetherDone(): void {
      if (world.faulty || !source.settled || !input.whole || !output.whole || !output.readerHasAll('reader')) return
      if (input.canonical().join() === source.entries().join() && transformed.complete) done.resolve()
    }

    disturb(world, [
      exhaustEpochs(world, kafka, ledger.writerId),
      exhaustEpochs(world, kafka, index.writerId),
      ...kafka.disturbances,
      ...processes.disturbances,
      ...inputRuns.disturbances,
      ...outputRuns.disturbances,
    ])
    const reader = processes.start(
      'reader',
      (program) => follow({ world, kafka, project: index, oracle: output, onRead: lookWhetherDone }, program),
      { mortal: false },
    )
    const audited = auditUntil(
      { world, kafka, processes, project: index, connector: indexConnector, oracle: output },
      done.promise,
    )
    const kept = [inputRuns, outputRuns].map((one) => one.keepRunning(audited))
    await Promise.race([Promise.all(kept), reader.ended])
  },
}
