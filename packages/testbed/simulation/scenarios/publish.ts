import { decodeClaim } from '../../../queue/src/claim.ts'
import type { LoggedBatch } from '../kafka/replica.ts'
import { createSimulatedKafka } from '../kafka/simulated-kafka.ts'
import { createUnitsOracle } from '../oracle/units-oracle.ts'
import type { Scenario } from '../scenario.ts'
import { disturb } from '../world/disturbances.ts'
import { createProcesses } from '../world/processes.ts'
import { disturbTransaction, transactionFaults } from './disturb-transaction.ts'
import { exhaustEpochs } from './exhaust-epochs.ts'
import { follow, page } from './publish-readers.ts'
import { type RunOptions, run, runNeighbour } from './publish-run.ts'
import { partitions, recordsOf, recordsPerUnit, topic, units } from './publish-units.ts'

const id = 'headrace.simulated'

/** The Kafka engine: runs of one connector publish units and fence each other, while readers follow. */
export const publish: Scenario = {
  name: 'publish',
  faults: [
    'request lost',
    'answer lost',
    'request held',
    'answer held',
    'throttled',
    'network slow',
    'leader moved',
    'coordinator moved',
    'log compacted',
    'broker killed',
    'broker stays broken',
    'broker paused',
    'broker cut off',
    'epochs used up',
    'markers late',
    'permission withdrawn',
    'program killed',
    'program paused',
    'second run',
    ...transactionFaults,
  ],
  async run(world) {
    const oracle = createUnitsOracle(world, partitions, recordsPerUnit)
    const kafka = createSimulatedKafka(world, {
      onStable(name, partition, batches) {
        if (name === topic) for (const { view } of batches) oracle.shown(partition, recordsOf(view))
        if (name !== '_headrace.owners') return
        for (const claim of claimsOf(batches)) oracle.claimed(claim)
      },
    })
    const processes = createProcesses(world)
    // All units are available at the start, or they become available during the faults.
    const all = world.random.integer(3) === 0
    const options: RunOptions = {
      world,
      kafka,
      oracle,
      id,
      large: world.random.integer(10) === 0,
      onStep: (process) => disturbTransaction({ world, kafka, processes, startAnother }, process),
      availableAt: all ? () => 0 : (unit: number) => (world.faultsEnd * unit) / units,
    }
    let runs = 0
    let secondRun = Promise.withResolvers<void>()

    async function runUntilPublished(): Promise<void> {
      for (;;) {
        const { ended } = processes.start(`run ${++runs}`, (process) => run(options, process))
        await Promise.race([ended, secondRun.promise])
        const complete = oracle.count(0) === units * recordsPerUnit
        if (complete && !world.faulty) return
        await world.wait(world.random.integer(complete ? 60_000 : 2_000))
      }
    }

    function startAnother(): void {
      secondRun.resolve()
      secondRun = Promise.withResolvers()
    }

    disturb(world, [
      ...kafka.disturbances,
      ...processes.disturbances,
      exhaustEpochs(world, kafka, id),
      {
        kind: 'second run',
        strike: startAnother,
      },
    ])
    const readers = [processes.start('reader', (program) => follow(options, program), { mortal: false })]
    if (world.random.integer(3) === 0)
      readers.push(processes.start('pager', (program) => page(options, program), { mortal: false }))
    if (world.random.integer(6) === 0) processes.start('neighbour', (program) => runNeighbour(options, program))
    await Promise.all([runUntilPublished(), ...readers.map(({ ended }) => ended)])
  },
}

/** The claims of the writer in a batch, without those of others. */
function claimsOf(batches: readonly LoggedBatch[]): string[] {
  return batches.flatMap(({ view }) =>
    [...view.records()]
      .filter(({ key }) => Buffer.from(key!).toString() === id)
      .map(({ value }) => decodeClaim(Buffer.from(value!).toString()).claim),
  )
}
