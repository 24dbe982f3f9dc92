import type { Logger } from 'pino'
import { type Queue, RetryableError } from '../../../queue/src/index.ts'
import { type Connector, type Schema, verifyConnector } from '../../../sdk/src/index.ts'
import { loggerOf, type SimulatedKafka } from '../kafka/simulated-kafka.ts'
import type { LogOracle } from '../oracle/log-oracle.ts'
import type { Program } from '../time/program.ts'
import type { Processes } from '../world/processes.ts'
import type { World } from '../world/world.ts'
import type { LoadedProject } from './connector-project.ts'

export interface AuditOptions {
  readonly world: World
  readonly kafka: SimulatedKafka
  readonly processes: Processes
  readonly project: LoadedProject
  readonly connector: Connector<Schema, unknown>
  readonly oracle: LogOracle
}

/**
 * In some seeds, verifies what a connector has published while it continues. There must be no finding. Resolves after a
 * verification of the final state.
 */
export async function auditUntil(options: AuditOptions, end: Promise<void>): Promise<void> {
  const { world, processes } = options
  if (world.random.integer(4) > 0) return end
  const auditor = processes.start('auditor', (program) => auditRepeatedly(options, end, program), { mortal: false })
  await auditor.ended
}

async function auditRepeatedly(options: AuditOptions, end: Promise<void>, program: Program): Promise<void> {
  const { world, oracle } = options
  let ended = false
  void end.then(() => {
    ended = true
  })
  for (let complete = false; !complete; ) {
    await Promise.race([end, world.wait(world.random.integer(world.random.pick([5_000, 100_000])), program)])
    const last = ended
    if (oracle.checkpoint) complete = (await audit(options, program)) && last
  }
}

/** False: the queue was not available. */
async function audit({ world, kafka, project, connector }: AuditOptions, program: Program): Promise<boolean> {
  let queue: Queue | undefined
  try {
    queue = await kafka.open(program)
    const { units } = await verifyConnector({
      ...project,
      connector,
      queue,
      compare: 'none',
      signal: new AbortController().signal,
      log: loggerOf(world, program) as Logger,
      async onFinding(finding) {
        if (finding.code !== 'message_not_produced') world.fail(`the auditor finds ${JSON.stringify(finding)}`)
      },
    })
    world.note(program.name, `has verified ${units} units`)
    return true
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error
    return false
  } finally {
    await queue?.close()
  }
}
