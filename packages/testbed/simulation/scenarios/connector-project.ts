import { fileURLToPath } from 'node:url'
import { loadProject, type Project, resolveSettings, resolveTopics, type Settings } from '../../../catalog/src/index.ts'
import { partitionForKey } from '../../../queue/src/index.ts'
import { type DefinedSchema, defineSchema } from '../../../sdk/src/index.ts'
import { BinaryWriter } from '../../../sdk/src/wire/index.ts'
import type { ExpectedRecord } from '../oracle/log-oracle.ts'

/** A connector's project, loaded before any seed, because real threads read its files. */
export interface LoadedProject {
  readonly project: Project
  readonly settings: Settings
  readonly writerId: string
  readonly topics: readonly { readonly name: string; readonly partitions: number }[]
}

export async function loadConnectorProject(folder: string): Promise<LoadedProject> {
  const { project, problems } = await loadProject(fileURLToPath(new URL(folder, import.meta.url)))
  if (!project) throw new Error(problems.map(({ message }) => message).join('\n'))
  const settings = await resolveSettings(project.manifest, {})
  const { writerId, topics } = resolveTopics(project, settings)
  return { project, settings, writerId, topics }
}

export interface Page {
  readonly Id: string
}

export interface Line {
  readonly Id: string
  readonly Text: string
}

export const ledgerSchema: DefinedSchema<{ Page: Page; Line: Line }, object> = defineSchema<
  { Page: Page; Line: Line },
  object
>({
  Page: { name: 'acme.ledger.Page', encode: encodePage },
  Line: { name: 'acme.ledger.Line', encode: encodeLine },
})

export const ledger: LoadedProject = await loadConnectorProject('connector-project')

/** A message with this text cannot be encoded. */
export const unencodable = 'unencodable'

/** The records of messages of the ledger, in order. A message that cannot be encoded becomes a placeholder. */
export function ledgerRecords(pages: readonly Page[], lines: readonly Line[]): ExpectedRecord[] {
  return [
    ...pages.map((page) => keyedRecord(ledger, 'Page', page.Id, encodePage(page, new BinaryWriter()).finish())),
    ...lines.map((line) =>
      line.Text === unencodable
        ? { topic: ledger.topics[1]!.name, partition: 0, key: null, value: null }
        : keyedRecord(ledger, 'Line', line.Id, encodeLine(line, new BinaryWriter()).finish()),
    ),
  ]
}

/** The record of a message. */
export function keyedRecord(
  { topics }: LoadedProject,
  message: string,
  key: string,
  value: Uint8Array,
): ExpectedRecord {
  const { name: topic, partitions } = topics.find(({ name }) => name.endsWith(`_${message}`))!
  const partition = partitionForKey(Buffer.from(key), partitions)
  return { topic, partition, key, value: Buffer.from(value).toString('latin1') }
}

function encodePage({ Id }: Page, writer: BinaryWriter): BinaryWriter {
  return writer.uint32(10).string(Id)
}

function encodeLine({ Id, Text }: Line, writer: BinaryWriter): BinaryWriter {
  if (Text === unencodable) throw new TypeError('This line cannot be encoded.')
  return writer.uint32(10).string(Id).uint32(18).string(Text)
}
