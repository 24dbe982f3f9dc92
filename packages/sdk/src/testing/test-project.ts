import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Checkpoint,
  createRecordRenderer,
  InvalidProjectError,
  loadProject,
  type Project,
  type ResolvedTopics,
  resolveSettings,
  resolveTopics,
  type Settings,
  type TopicRegistration,
  topicRegistrations,
} from '@headrace/catalog'
import { openQueue, type Queue } from '@headrace/queue'
import { pino } from 'pino'
import type { Connector } from '../connector/connector.ts'
import { readNewestCheckpoint } from '../runtime/checkpoint/read-checkpoints.ts'
import { runConnector } from '../runtime/run-connector.ts'
import type { RunOptions, RunSummary } from '../runtime/run-options.ts'
import { type PublishedRecord, publishedRecord, readTopic } from './published-record.ts'

export type TestRunOptions = Partial<Omit<RunOptions, 'connector' | 'project' | 'settings' | 'instance'>> & {
  /** Stop when this many units, at least 1, were yielded and are committed. */
  readonly stopAfter?: number
  /** Publish each unit in its own transaction, except replacements of reverted units. */
  readonly oneByOne?: boolean
}

export interface TestProjectOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly instance?: string
  /**
   * A queue as `connector run` takes it, or an open one, which the caller closes. Default: an embedded queue in a
   * temporary folder.
   */
  readonly queue?: string | Queue
}

export interface TestProject extends AsyncDisposable {
  readonly project: Project
  readonly queue: Queue
  readonly settings: Settings
  readonly instance: ResolvedTopics
  /** Throws what `runConnector` throws. */
  run(connector: Connector, options?: TestRunOptions): Promise<RunSummary>
  /** By full or short message name, partition by partition. */
  records(message: string): Promise<PublishedRecord[]>
  /** The checkpoint of the newest committed unit; `undefined` before the first. */
  checkpoint(): Promise<unknown>
  /** The newest checkpoint as it is stored, with the counters of the runtime. */
  storedCheckpoint(): Promise<Checkpoint | undefined>
  /** Opens another project on the same queue, which is closed with this one. */
  openOther(folder: string | URL, options?: Omit<TestProjectOptions, 'queue'>): Promise<TestProject>
  close(): Promise<void>
}

/**
 * Loads the project in a folder that holds `manifest.yaml` and opens a queue for it.
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
export function createTestProject(folder: string | URL, options: TestProjectOptions = {}): Promise<TestProject> {
  return openTestProject(folder, options, new Map())
}

export type LoadedFolders = Map<string, Project>

export async function openTestProject(
  folder: string | URL,
  options: TestProjectOptions,
  folders: LoadedFolders,
): Promise<TestProject> {
  const project = await loadFolder(folder, folders)
  const directory = await mkdtemp(join(tmpdir(), 'headrace-test-'))
  const file = join(directory, 'settings.json')
  await writeFile(file, JSON.stringify(options.settings ?? {}))
  const settings = await resolveSettings(project.manifest, { file })
  const resolved = resolveTopics(project, settings, options.instance)
  const { instance, writerId, topics } = resolved
  const registrations = topicRegistrations(project, instance, topics)
  const given = options.queue ?? `embedded:${join(directory, 'queue')}`
  const queue = typeof given === 'string' ? await openQueue(given) : given
  const others: TestProject[] = []
  const close = async (): Promise<void> => {
    for (const other of others) await other.close()
    if (queue !== given) await queue.close()
    await rm(directory, { recursive: true, force: true })
  }
  return {
    project,
    queue,
    settings,
    instance: resolved,
    run: (connector, run = {}) => runForTest({ connector, project, settings, instance, queue }, run),
    records: (message) => recordsOf(queue, registrations, message),
    checkpoint: async () => (await readNewestCheckpoint(queue, writerId))?.position,
    storedCheckpoint: () => readNewestCheckpoint(queue, writerId),
    async openOther(folder, options = {}) {
      const other = await openTestProject(folder, { ...options, queue }, folders)
      others.push(other)
      return other
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function loadFolder(folder: string | URL, folders: LoadedFolders): Promise<Project> {
  const path = typeof folder === 'string' ? folder : fileURLToPath(folder)
  const loaded = folders.get(path)
  if (loaded) return loaded
  const { project, problems } = await loadProject(path)
  if (!project) throw new InvalidProjectError(problems)
  folders.set(path, project)
  return project
}

async function runForTest(
  fixed: Pick<RunOptions, 'connector' | 'project' | 'settings' | 'instance' | 'queue'>,
  { stopAfter, oneByOne = false, ...options }: TestRunOptions,
): Promise<RunSummary> {
  const stop = new AbortController()
  const { connector } = fixed
  const stopped = stopAfter === undefined ? connector : stopping(connector, stopAfter, stop)
  return runConnector({
    log: pino({ level: 'silent' }),
    ...fixed,
    ...options,
    connector: oneByOne ? paceByCommits(stopped) : stopped,
    signal: options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal,
  })
}

function stopping(connector: Connector, count: number, stop: AbortController): Connector {
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

/**
 * Delays each unit until earlier ones are committed, except replacements of reverted units, because they share a
 * transaction.
 */
function paceByCommits(connector: Connector): Connector {
  return {
    schema: connector.schema,
    async *read(source) {
      const events = new EventEmitter()
      let yielded = 0
      let committed = 0
      let replacing = 0
      source.onCommit((units) => {
        committed = units
        events.emit('commit')
      })
      for await (const unit of connector.read(source)) {
        const held = (): boolean => committed < yielded && (unit.revertTo !== undefined || replacing <= committed)
        while (held()) await once(events, 'commit', { signal: source.signal })
        yielded++
        if (unit.revertTo !== undefined) replacing = yielded
        yield unit
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
  if (!found) {
    const known = registrations.map((one) => one.message).join(', ')
    throw new TypeError(`No topic has the message "${message}". Allowed: ${known}.`)
  }
  const { render } = createRecordRenderer(found)
  const records: PublishedRecord[] = []
  for await (const record of readTopic(queue, found.topic)) records.push(publishedRecord(record, render))
  return records
}
