import { join } from 'node:path'
import { UserError } from '@headrace/queue'
import type { Destination, SinkContext, SinkTopic } from '../destination/destination.ts'
import { type FieldColumn, fieldColumns, recordColumns } from './columns.ts'
import type { Files } from './files.ts'
import type { Manifest } from './manifest.ts'
import type { ParquetSettings } from './options.ts'
import { openPartFile, type PartFile } from './part-file.ts'
import { claimFolder, readManifest, type TopicFolder, type TopicFolderOptions } from './topic-folder.ts'

export interface ParquetDestinationOptions extends ParquetSettings {
  readonly files: Files
}

interface OpenTopic {
  readonly folder: TopicFolder
  readonly columns: readonly FieldColumn[]
  part: PartFile | undefined
  /** Of the last batch. */
  cursor: string | null
}

interface Plan {
  readonly topic: SinkTopic
  readonly folder: TopicFolderOptions
  readonly before: Manifest | undefined
}

/** Of all topics, in memory. */
const mostBytes = 192 << 20

export function createParquetDestination(
  { name: sink, topics: described }: SinkContext,
  options: ParquetDestinationOptions,
): Destination {
  const { files, maxRows, maxBytes, maxAgeMs } = options
  const topics = new Map<string, OpenTopic>()

  return {
    async prepare() {
      const plans: Plan[] = []
      for (const topic of described) {
        const folder = folderOf(topic)
        if (plans.some((plan) => plan.folder.path === folder.path)) throw sharedFolder(folder.path)
        const before = await readManifest(folder)
        plans.push({ topic, folder, before })
      }
      for (const { topic, folder, before } of plans) {
        const names = before?.columns ?? {}
        const columns = fieldColumns(topic, names)
        const claimed = await claimFolder(folder, before, { ...names, ...namesOf(columns) })
        topics.set(topic.topic, { folder: claimed, columns, part: undefined, cursor: claimed.manifest.cursor })
      }
    },
    readCursor: async (topic) => topics.get(topic)!.folder.manifest.cursor ?? undefined,
    async apply({ topic, records, cursor }) {
      const open = topics.get(topic)!
      open.cursor = cursor
      if (records.length === 0) return 'held'
      open.part ??= await openPartFile(files, open.folder.temporaryPath, [...recordColumns, ...open.columns])
      await open.part.add(records)
      if (open.part.rows >= maxRows || open.part.bytes >= maxBytes) {
        await commit(open)
        return undefined
      }
      await freeMemory()
      return 'held'
    },
    holding: { longestMs: maxAgeMs, flush: (topic) => commit(topics.get(topic)!) },
    async close() {
      for (const { part, folder } of topics.values()) {
        if (!part) continue
        await part.discard().catch(() => {})
        await files.remove(folder.temporaryPath).catch(() => {})
      }
    },
  }

  function folderOf({ topic }: Pick<SinkTopic, 'topic'>): TopicFolderOptions {
    return { files, path: join(options.folder, options.folders[topic] ?? topic), topic, sink }
  }

  async function commit(open: OpenTopic): Promise<void> {
    const { folder, part, cursor } = open
    if (cursor === null || cursor === folder.manifest.cursor) return
    const file = await part?.finish()
    open.part = undefined
    await folder.commit(cursor, file)
  }

  async function freeMemory(): Promise<void> {
    const parts = [...topics.values()].flatMap(({ part }) => part ?? [])
    const total = parts.reduce((sum, { bytesInMemory }) => sum + bytesInMemory, 0)
    if (total < mostBytes) return
    await parts.reduce((largest, part) => (part.bytesInMemory > largest.bytesInMemory ? part : largest)).writeRowGroup()
  }
}

function sharedFolder(path: string): UserError {
  return new UserError('invalid_destination', `Two topics have the folder ${path}. Each needs its own.`)
}

function namesOf(columns: readonly FieldColumn[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap(({ field, element }) => (field ? [[field.number, element.name]] : [])))
}
