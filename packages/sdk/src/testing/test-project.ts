import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Checkpoint,
  InvalidProjectError,
  loadProject,
  type Project,
  readCheckpoint,
  resolveSettings,
  resolveTopics,
  type Settings,
  type TopicRegistration,
  topicRegistrations,
} from '@headrace/catalog'
import { openQueue, type Queue } from '@headrace/queue'
import { pino } from 'pino'
import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import { runConnector } from '../runtime/run-connector.ts'
import type { RunOptions, RunSummary } from '../runtime/run-options.ts'
import { type PublishedRecord, readPublished } from './published-record.ts'

/** What of a run a test may set. */
export type TestRunOptions = Partial<
  Pick<
    RunOptions,
    'queue' | 'signal' | 'log' | 'onBadMessage' | 'newTopics' | 'graceMs' | 'retry' | 'observer' | 'metrics'
  >
> & {
  /** Stop when the connector has yielded this many units, at least 1, and they are committed. */
  readonly stopAfter?: number
}

export interface TestProjectOptions {
  /** Values of settings. The others have the manifest's defaults. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly instance?: string
  /** Where to publish, as `connector run` takes it. Default: an embedded queue in a temporary folder. */
  readonly queue?: string
}

/** A connector's project and a queue. */
export interface TestProject extends AsyncDisposable {
  readonly project: Project
  readonly queue: Queue
  /** Runs a connector, until its source ends if nothing stops it before. Throws what `runConnector` throws. */
  run(connector: Connector<Schema, unknown>, options?: TestRunOptions): Promise<RunSummary>
  /** What has been published of a message (full name, or short name), partition by partition. */
  records(message: string): Promise<PublishedRecord[]>
  /** The checkpoint of the newest committed unit; `undefined` before the first. */
  checkpoint(): Promise<unknown>
  /** That checkpoint as it is stored, with the counters of the runtime. */
  storedCheckpoint(): Promise<Checkpoint | undefined>
  /** Closes the queue and removes the temporary folder. */
  close(): Promise<void>
}

/**
 * Loads the project in a folder, the one that holds `manifest.yaml`, and opens a queue for it.
 *
 * @throws {InvalidProjectError} the manifest or a .proto file has mistakes.
 * @throws {UserError} `invalid_settings`
 *
 * @example
 * ```ts
 * test('publishes every page once', async () => {
 *   await using project = await createTestProject(new URL('..', import.meta.url), { settings: { url } })
 *   await project.run(connector, { stopAfter: 3 })
 *   await project.run(connector)
 *   const quotes = await project.records('Quote')
 *   expect(quotes.map(({ seq }) => seq)).toEqual(quotes.keys().toArray())
 * })
 * ```
 */
export async function createTestProject(folder: string | URL, options: TestProjectOptions = {}): Promise<TestProject> {
  const { project, problems } = await loadProject(typeof folder === 'string' ? folder : fileURLToPath(folder))
  if (!project) throw new InvalidProjectError(problems)
  const directory = await mkdtemp(join(tmpdir(), 'headrace-test-'))
  const settings = await settingsOf(project, directory, options.settings ?? {})
  const { instance, writerId, topics } = resolveTopics(project, settings, options.instance)
  const registrations = topicRegistrations(project, instance, topics)
  const queue = await openQueue(options.queue ?? `embedded:${join(directory, 'queue')}`)
  const close = async (): Promise<void> => {
    await queue.close()
    await rm(directory, { recursive: true, force: true })
  }
  return {
    project,
    queue,
    run: (connector, run = {}) => runForTest({ connector, project, settings, instance, queue }, run),
    records: (message) => recordsOf(queue, registrations, message),
    checkpoint: async () => (await readCheckpoint(queue, writerId))?.position,
    storedCheckpoint: () => readCheckpoint(queue, writerId),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function settingsOf(
  project: Project,
  directory: string,
  values: Readonly<Record<string, unknown>>,
): Promise<Settings> {
  const file = join(directory, 'settings.json')
  await writeFile(file, JSON.stringify(values))
  return resolveSettings(project.manifest, { file })
}

async function runForTest(
  fixed: Pick<RunOptions, 'connector' | 'project' | 'settings' | 'instance' | 'queue'>,
  { stopAfter, ...options }: TestRunOptions,
): Promise<RunSummary> {
  const stop = new AbortController()
  const { connector } = fixed
  return runConnector({
    log: pino({ level: 'silent' }),
    ...fixed,
    ...options,
    connector: stopAfter === undefined ? connector : stopping(connector, stopAfter, stop),
    signal: options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal,
  })
}

/** The same connector, which stops its run when it is asked for one unit more than `count`. */
function stopping(
  connector: Connector<Schema, unknown>,
  count: number,
  stop: AbortController,
): Connector<Schema, unknown> {
  let yielded = 0
  return {
    schema: connector.schema,
    async *read(source) {
      for await (const unit of connector.read(source)) {
        yield unit
        if (++yielded < count) continue
        stop.abort()
        return
      }
    },
  }
}

async function recordsOf(
  queue: Queue,
  registrations: readonly TopicRegistration[],
  message: string,
): Promise<PublishedRecord[]> {
  const found = registrations.find((one) => one.message === message || one.message.endsWith(`.${message}`))
  if (found) return readPublished(queue, found)
  throw new TypeError(
    `No topic carries "${message}". There are: ${registrations.map((one) => one.message).join(', ')}.`,
  )
}
