import { AssertionError } from 'node:assert'
import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'
import { assertPublished } from './assert-published.ts'
import { createFaultyQueue, type FaultStep, type FaultyQueue } from './faulty-queue.ts'
import { type PlannedFault, plannedFaults } from './planned-faults.ts'
import { readUnits } from './read-units.ts'
import { type RunToEnd, runToEnd } from './run-to-end.ts'
import { type LoadedFolders, openTestProject, type TestProject, type TestProjectOptions } from './test-project.ts'

type Settings = NonNullable<TestProjectOptions['settings']>

export interface ConnectorTest<S extends Schema, C> {
  readonly connector: Connector<S, C>
  /** The folder that holds `manifest.yaml`. */
  readonly folder: string | URL
  /** Values of settings, or what gives them anew for each fault: topics of its own, where the queue is one for all. */
  readonly settings?: Settings | (() => Settings)
  readonly instance?: string
  /** Where to publish, as `connector run` takes it. Default: an embedded queue for each fault. */
  readonly queue?: string
  /**
   * Bring what the connector reads into its states, one after the other. The connector is run in each. They are gone
   * through again for each fault, so the first one starts afresh. Default: one state, which is there.
   */
  readonly states?: readonly ((project: TestProject) => unknown)[]
  /**
   * Whether everything of a state, counted from 0, is published with the unit of this checkpoint. For sources that have
   * no end. Default: the source ends.
   */
  until?(checkpoint: C, state: number): boolean
  /** What the topics must hold in the end. Default: what `read` yields, begun anew in the last state. */
  readonly units?: readonly Unit<S, C>[]
  /** Of each kind of fault only every so many-th, 1 or more. Default 1: a fault at every step. */
  readonly stride?: number
}

export interface ConnectorTestResult {
  /** How many faults took place, by kind. */
  readonly faults: Readonly<Record<string, number>>
}

/**
 * Runs a connector on a real queue, once without trouble and once for each fault there can be, and asserts each time that
 * the topics hold everything exactly once (`assertPublished`).
 *
 * Units are published one by one. How often each step of the cycle is reached without trouble is counted first; then, for
 * each time and each kind of fault, a run meets that fault and, where it has to end, is followed by another:
 *
 * - a crash at each opening of the writer, reading of the checkpoint, begin, record sent, commit, and after each commit;
 * - each commit refused, with an abort that succeeds or fails;
 * - each commit without an answer, whether it happened or not;
 * - another run that takes over before each commit;
 * - `read` failing before each unit.
 *
 * @throws {AssertionError} the topics hold something else, a run ended otherwise than it must, or a planned fault did not
 *   take place. The message names the fault.
 *
 * @example
 * ```ts
 * test('publishes every page exactly once, whatever fails', async () => {
 *   await testConnector({
 *     connector,
 *     folder: new URL('..', import.meta.url),
 *     settings: { url: server.url },
 *     states: [() => server.show(pages.slice(0, 3)), () => server.show(pages)],
 *   })
 * })
 * ```
 */
export async function testConnector<S extends Schema, C>(test: ConnectorTest<S, C>): Promise<ConnectorTestResult> {
  const { stride = 1 } = test
  const folders: LoadedFolders = new Map()
  const plain = await runStates(test, folders)
  const taken: Record<string, number> = {}
  for (const fault of plannedFaults(plain.reached, plain.units, stride)) {
    try {
      await runStates(test, folders, fault)
    } catch (error) {
      throw explained(error, fault)
    }
    taken[fault.kind] = (taken[fault.kind] ?? 0) + 1
  }
  return { faults: taken }
}

interface PlainRun {
  readonly reached: (step: FaultStep) => number
  readonly units: number
}

/** Goes through all states, with a fault or without one, and checks what has been published. */
async function runStates<S extends Schema, C>(
  test: ConnectorTest<S, C>,
  folders: LoadedFolders,
  fault?: PlannedFault,
): Promise<PlainRun> {
  const { connector, states = [() => {}], until } = test
  await using project = await openTestProject(test.folder, projectOptions(test), folders)
  const run: RunToEnd = { project, connector: connector as Connector<Schema, unknown>, until: undefined }
  const rival = () => runToEnd({ ...run, until: endOf(until, current) }, project.queue)
  let current = 0
  const met = fault?.begin({ writerId: project.instance.writerId, rival })
  const queue = createFaultyQueue(project.queue, met?.faults ?? [])
  const faulty = met?.wrap?.(run.connector) ?? run.connector
  for (const [number, enter] of states.entries()) {
    current = number
    await enter(project)
    await runOver({ ...run, connector: faulty, until: endOf(until, number) }, queue, met?.endsWith)
  }
  if (queue.pending.length > 0 || met?.missed?.()) throw missed()
  const wanted = test.units ?? (await readAll(test, project))
  await assertPublished(project, connector.schema, wanted)
  return { reached: queue.reached, units: wanted.length }
}

function projectOptions<S extends Schema, C>(test: ConnectorTest<S, C>): TestProjectOptions {
  const { settings = {}, instance, queue } = test
  return {
    settings: typeof settings === 'function' ? settings() : settings,
    ...(instance !== undefined && { instance }),
    ...(queue !== undefined && { queue }),
  }
}

type Until<C> = ((checkpoint: C, state: number) => boolean) | undefined

function endOf<C>(until: Until<C>, state: number): RunToEnd['until'] {
  return until && ((checkpoint) => until(checkpoint as C, state))
}

/** Runs to the end of a state. Where the fault ends the run, another one follows. */
async function runOver(run: RunToEnd, queue: FaultyQueue, endsWith?: (error: unknown) => boolean): Promise<void> {
  try {
    await runToEnd(run, queue)
  } catch (error) {
    if (!endsWith?.(error)) throw error
    await runToEnd(run, queue)
  }
}

async function readAll<S extends Schema, C>(
  { connector, states = [], until }: ConnectorTest<S, C>,
  project: TestProject,
): Promise<Unit<S, C>[]> {
  const units: Unit<S, C>[] = []
  const { settings, queue } = project
  for await (const unit of readUnits(connector, { config: settings.values as S['config'], queue })) {
    units.push(unit)
    if (until?.(unit.checkpoint, Math.max(0, states.length - 1))) break
  }
  return units
}

function missed(): AssertionError {
  return new AssertionError({
    message:
      'It did not take place: this time there were fewer steps. The first state must bring the source to its start.',
  })
}

function explained(error: unknown, { name }: PlannedFault): AssertionError {
  const { message, actual, expected } = error as AssertionError
  const options = { message: `Fault: ${name}. ${message}`, actual, expected, operator: 'testConnector' }
  return Object.assign(new AssertionError(options), { cause: error })
}
