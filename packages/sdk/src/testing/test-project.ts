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
  readRegistry,
  resolveSettings,
  resolveTopics,
  type Settings,
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
  Pick<RunOptions, 'queue' | 'signal' | 'log' | 'onBadMessage' | 'newTopics' | 'graceMs' | 'retry' | 'observer'>
> & {
  /** Stop when the connector has yielded this many units, at least 1, and they are committed. */
  readonly stopAfter?: number
}

/** A connector's project with a queue of its own. */
export interface TestProject extends AsyncDisposable {
  readonly project: Project
  /** An embedded queue in a temporary folder. */
  readonly queue: Queue
  /** Runs a connector, until its source ends if nothing stops it before. Throws what `runConnector` throws. */
  run(connector: Connector<Schema, unknown>, options?: TestRunOptions): Promise<RunSummary>
  /** What has been published of a message (full name, or short name), partition by partition. */
  records(message: string): Promise<PublishedRecord[]>
  /** The checkpoint of the newest committed unit; `undefined` before the first. */
  checkpoint(): Promise<unknown>
  /** That checkpoint as it is stored, with the counters of the runtime. */
  storedCheckpoint(): Promise<Checkpoint | undefined>
  /** Closes the queue and removes its folder. */
  close(): Promise<void>
}

/**
 * Loads the project in a folder, the one that holds `manifest.yaml`, and gives it an empty queue.
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
export async function createTestProject(
  folder: string | URL,
  options: { readonly settings?: Readonly<Record<string, unknown>>; readonly instance?: string } = {},
): Promise<TestProject> {
  const { project, problems } = await loadProject(typeof folder === 'string' ? folder : fileURLToPath(folder))
  if (!project) throw new InvalidProjectError(problems)
  const directory = await mkdtemp(join(tmpdir(), 'headrace-test-'))
  const settings = await settingsOf(project, directory, options.settings ?? {})
  const queue = await openQueue(`embedded:${join(directory, 'queue')}`)
  const { writerId } = resolveTopics(project, settings, options.instance)
  const close = async (): Promise<void> => {
    await queue.close()
    await rm(directory, { recursive: true, force: true })
  }
  return {
    project,
    queue,
    run: (connector, run = {}) => runForTest({ connector, project, settings, instance: options.instance, queue }, run),
    records: (message) => recordsOf(queue, message),
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

async function recordsOf(queue: Queue, message: string): Promise<PublishedRecord[]> {
  const registrations = [...(await readRegistry(queue)).values()].filter(
    (registration) => registration.message === message || registration.message.endsWith(`.${message}`),
  )
  const published = await Promise.all(registrations.map((registration) => readPublished(queue, registration)))
  return published.flat()
}
