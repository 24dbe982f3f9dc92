import {
  type Connector,
  type DefinedSchema,
  defineConnector,
  defineSchema,
  type QueueCheckpoint,
  queueSource,
  type Schema,
  type Source,
  type Units,
} from '../../../sdk/src/index.ts'
import { BinaryWriter } from '../../../sdk/src/wire/index.ts'
import type { ExpectedRecord } from '../oracle/log-oracle.ts'
import {
  keyedRecord,
  type Line,
  type LoadedProject,
  ledger,
  loadConnectorProject,
  type Page,
} from './connector-project.ts'

interface Mention {
  readonly Id: string
  /** Name of the input. */
  readonly Topic: string
}

const schema: DefinedSchema<{ Mention: Mention }, object> = defineSchema<{ Mention: Mention }, object>({
  Mention: { name: 'acme.index.Mention', encode },
})

export const index: LoadedProject = await loadConnectorProject('transform-project')

const [page, line] = ledger.topics
const topics = { Page: page!.name, Line: line!.name }

/** Reads the topics of the ledger, and publishes a message for each of their messages. */
export const indexConnector = defineConnector({
  schema,
  async *read(source: Source<typeof schema, QueueCheckpoint>): Units<typeof schema, QueueCheckpoint> {
    for await (const { place, messages } of queueSource<{ Page: Page; Line: Line }>(source, { topics })) {
      const mentions = (name: 'Page' | 'Line') => messages[name].map(({ Id }) => ({ Id, Topic: topics[name] }))
      yield { ...place, messages: { Mention: [...mentions('Page'), ...mentions('Line')] } }
    }
  },
}) as Connector<Schema, unknown>

/** The output records for records of the ledger, topic partition by topic partition. */
export function indexRecords(input: readonly ExpectedRecord[]): ExpectedRecord[] {
  return [topics.Page, topics.Line].flatMap((topic) =>
    input
      .filter((record) => record.topic === topic && record.key !== null)
      .sort((a, b) => a.partition - b.partition)
      .map(({ key }) =>
        keyedRecord(index, 'Mention', key!, encode({ Id: key!, Topic: topic }, new BinaryWriter()).finish()),
      ),
  )
}

function encode({ Id, Topic }: Mention, writer: BinaryWriter): BinaryWriter {
  return writer.uint32(10).string(Id).uint32(18).string(Topic)
}
