import { readFile } from 'node:fs/promises'
import { arch, availableParallelism, platform, release, totalmem } from 'node:os'
import { isAdopted, loadProject, readContents, type TopicContent } from '@headrace/catalog'
import { HeadraceError, type Logger, type Queue, type TopicDescription } from '@headrace/queue'
import { packageVersion } from '../package-version.ts'
import { readProcesses } from '../presence/read-processes.ts'
import { findingsOf } from '../status/findings.ts'
import { readStatus } from '../status/queue-status.ts'
import { statusJson } from '../status/status-json.ts'
import { maskTexts } from './redact.ts'

/** Name → content. Each is made of named facts, never of a whole file of the user. */
export type SupportFiles = Readonly<Record<string, unknown>>

export function machineFile(): object {
  return {
    time: new Date().toISOString(),
    headrace: packageVersion(),
    versions: process.versions,
    ...{ platform: platform(), release: release(), arch: arch() },
    ...{ cores: availableParallelism(), memoryBytes: totalmem() },
  }
}

const ownVariables = /^(?:HEADRACE|CONNECTOR|OTEL|NODE|KAFKA|UV)_/
const shownVariables = ['CI', 'GITHUB_ACTIONS', 'LANG', 'NODE_ENV', 'NO_COLOR', 'TERM', 'TZ', 'UV_THREADPOOL_SIZE']

/** Values are shown of those only that cannot be secret. */
export function environmentFile(variables: Readonly<Record<string, string | undefined>>): object {
  const set = Object.keys(variables).filter((name) => variables[name] !== undefined)
  return {
    set: set.filter((name) => ownVariables.test(name)).sort(),
    values: Object.fromEntries(shownVariables.flatMap((name) => (set.includes(name) ? [[name, variables[name]]] : []))),
  }
}

const shownProperties = ['security.protocol', 'sasl.mechanism', 'compression.type']

/** The names of the properties, and the values of those that cannot be secret. */
export async function kafkaConfigFile(file: string): Promise<object> {
  const text = await readFile(file, 'latin1').catch(() => undefined)
  if (text === undefined) return { error: 'the file cannot be read' }
  // A value may continue on the next lines.
  const lines = text.replace(/\\\r?\n\s*/g, '').split(/\r?\n/)
  const pairs = lines.flatMap((line) => {
    const [, name, value] = /^\s*([a-z][a-z0-9._-]*)\s*[=:]\s*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value!.trim()] as const]
  })
  return {
    set: pairs.map(([name]) => name).sort(),
    values: Object.fromEntries(
      pairs.filter(([name, value]) => shownProperties.includes(name) && /^[\w-]+$/.test(value)),
    ),
  }
}

/** Without descriptions, defaults and messages about mistakes, which may quote any value. */
export async function projectFile(dir: string): Promise<object> {
  const { project, problems } = await loadProject(dir)
  const places = problems.map(({ severity, code, line, column }) => ({ severity, code, line, column }))
  if (!project) return { problems: places }
  const { owner, package: name, version, topicVersion, run, topics, config } = project.manifest
  const settings = Object.entries(config.properties ?? {}).map(([setting, { type, writeOnly = false }]) => {
    return { name: setting, type, writeOnly }
  })
  const kind = run === undefined ? 'none' : typeof run === 'string' ? 'module' : 'command'
  return { owner, package: name, version, topicVersion, run: kind, topics, settings, problems: places }
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** @throws {HeadraceError} the queue cannot be read. */
export async function queueFiles(queue: Queue): Promise<SupportFiles> {
  const status = await readStatus(queue, { log: silent, now: Date.now() })
  const masked = {
    ...status,
    connectors: status.connectors.map((one) => ({
      ...one,
      checkpoint: one.checkpoint && { ...one.checkpoint, position: maskTexts(one.checkpoint.position) },
    })),
  }
  const processes = await readProcesses(queue).catch(asReason)
  const contents = await readContents(queue)
  const topics = await queue.describe()
  return {
    'status.json': statusJson(masked, findingsOf(status)),
    'processes.json': processes instanceof Map ? [...processes.values()] : processes,
    'topics.json': topics.map((topic) => describeTopic(topic, contents.get(topic.name))),
  }
}

function asReason(error: unknown): object {
  if (!(error instanceof HeadraceError)) throw error
  return { error: error.code }
}

function describeTopic({ name, cleanup, partitions }: TopicDescription, content: TopicContent | undefined): object {
  const bounds = partitions.map(({ earliest, end }) => [`${earliest}`, `${end}`])
  const facts = { name, cleanup: cleanup ?? null, partitions: bounds }
  if (!content) return facts
  if (isAdopted(content)) {
    const { format, framing, keyForm, message } = content
    return { ...facts, adopted: { format, framing, keyForm, message } }
  }
  const { lineage, instance, connector, message, key, time, bytes, retention, successor, schemas, descriptors } =
    content
  const { owner, package: packageName, version } = connector
  const written = { lineage, instance, connector: { owner, package: packageName, version } }
  return {
    ...facts,
    registered: {
      ...written,
      message,
      key,
      time,
      bytes,
      retention,
      successor,
      schemas,
      schemaBytes: descriptors.length,
    },
  }
}
