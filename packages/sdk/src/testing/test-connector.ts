import { AssertionError } from 'node:assert'
import type { Queue } from '@headrace/queue'
import type { AnyUnit, Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import { messageTopics } from '../runtime/start/message-topic.ts'
import { assertPublished } from './assert-published.ts'
import { createFaultyQueue } from './faulty-queue.ts'
import { type PlannedFault, plannedFaults } from './planned-faults.ts'
import { readUnits } from './read-units.ts'
import { type LoadedFolders, openTestProject, type TestProject, type TestProjectOptions } from './test-project.ts'

type Settings = NonNullable<TestProjectOptions['settings']>

export interface ConnectorTest<S extends Schema, C> {
  readonly connector: Connector<S, C>
  readonly folder: string | URL
  /** A function is called for each fault, for topics of its own in a shared queue. */
  readonly settings?: Settings | (() => Settings)
  readonly instance?: string
  /** As `connector run` takes it. Default: an embedded queue for each fault. */
  readonly queue?: string
  /**
   * Bring the source into its states, in order. The connector is run in each state. They are repeated for each fault,
   * so the first one must reset the source. Default: the present state.
   */
  readonly states?: readonly ((project: TestProject) => unknown)[]
  /** Whether this checkpoint is the last one of a state, counted from 0. Default: the source ends. */
  until?(checkpoint: C, state: number): boolean
  /** The units that the topics must hold in the end. Default: what `read` yields from the start in the last state. */
  readonly units?: readonly AnyUnit<S, C>[]
  /** Inject only every `stride`-th fault of each kind. Default 1. */
  readonly stride?: number
}

export interface ConnectorTestResult {
  readonly faults: Readonly<Record<string, number>>
}

/**
 * Runs a connector on a real queue, once without a fault and once with each possible fault, and asserts each time that
 * the topics hold everything exactly once (`assertPublished`).
 *
 * The faults, each at every step of the run without a fault:
 *
 * - a crash at opening the writer, reading the checkpoint, begin, send and commit, and after a commit;
 * - a commit refused, or without an answer;
 * - another run that takes over;
 * - `read` failing.
 *
 * @throws {AssertionError} names the fault. A planned fault must happen.
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
      throw withFaultName(error, fault)
    }
    taken[fault.kind] = (taken[fault.kind] ?? 0) + 1
  }
  return { faults: taken }
}

async function runStates<S extends Schema, C>(test: ConnectorTest<S, C>, folders: LoadedFolders, fault?: PlannedFault) {
  const { connector, settings = {}, states = [() => {}], until } = test
  await using project = await openTestProject(
    test.folder,
    { ...test, settings: typeof settings === 'function' ? settings() : settings },
    folders,
  )
  let state = 0
  const isLast = until && ((checkpoint: unknown) => until(checkpoint as C, state))
  const plain = connector as Connector
  const rival = (): Promise<void> => runToEnd(project, plain, { isLast })
  const injected = fault?.begin({ writerId: project.instance.writerId, rival })
  const faulty = injected?.wrap?.(plain) ?? plain
  const queue = createFaultyQueue(project.queue, injected?.faults ?? [])
  for (const [number, enter] of states.entries()) {
    state = number
    await enter(project)
    try {
      await runToEnd(project, faulty, { isLast, queue })
    } catch (error) {
      if (!injected?.endsWith?.(error)) throw error
      await runToEnd(project, faulty, { isLast, queue })
    }
  }
  if (queue.pending.length > 0 || injected?.missed?.()) throw missed()
  const wanted = test.units ?? (await readAll(test, project))
  await assertPublished(project, connector.schema, wanted)
  return { reached: queue.reached, units: wanted.length }
}

interface RunToEnd {
  readonly isLast: ((checkpoint: unknown) => boolean) | undefined
  /** Default: that of the project. */
  readonly queue?: Queue
}

async function runToEnd(project: TestProject, connector: Connector, { isLast, queue }: RunToEnd): Promise<void> {
  const stop = new AbortController()
  const stored = await project.storedCheckpoint()
  if (stored && isLast?.(stored.position)) return
  await project.run(connector, {
    ...(queue && { queue }),
    oneByOne: true,
    signal: stop.signal,
    retry: { firstMs: 1, maxMs: 10, budgetMs: 10_000 },
    observer: {
      onCommit({ checkpoint }) {
        if (isLast?.(checkpoint)) stop.abort()
      },
    },
  })
}

async function readAll<S extends Schema, C>(
  { connector, states = [], until }: ConnectorTest<S, C>,
  project: TestProject,
): Promise<AnyUnit<S, C>[]> {
  const units: AnyUnit<S, C>[] = []
  const { settings, queue, instance } = project
  const topics = messageTopics(connector.schema, project.project, instance.topics)
  const descriptor = (message: string) => topics.get(message)?.descriptor
  for await (const unit of readUnits(connector, { config: settings.values as S['config'], queue, descriptor })) {
    units.push(unit)
    if (until?.(unit.checkpoint, Math.max(0, states.length - 1))) break
  }
  return units
}

function missed(): AssertionError {
  return new AssertionError({
    message: 'It did not happen: this run had fewer steps. The first state must reset the source.',
  })
}

function withFaultName(error: unknown, { name }: PlannedFault): AssertionError {
  const { message, actual, expected } = error as AssertionError
  const options = { message: `Fault: ${name}. ${message}`, actual, expected, operator: 'testConnector' }
  return Object.assign(new AssertionError(options), { cause: error })
}
