import { createRecordRenderer, topicRegistrations } from '@headrace/catalog'
import { partitionForKey } from '@headrace/queue'
import type { Schema } from '../connector/schema.ts'
import type { Unit } from '../connector/unit.ts'
import { type MessageTopic, messageTopics } from '../runtime/start/message-topic.ts'
import { MessageWriter } from '../wire/message-writer.ts'
import { publishedRecord } from './published-record.ts'
import type { TestProject } from './test-project.ts'

/** What a record must hold. Which unit it is of is counted from 0, over those units that have records. */
export interface ExpectedRecord {
  readonly unit: number
  readonly key: string | null
  readonly value: unknown
}

/** The records that units are to leave, by partition. */
export interface ExpectedTopic {
  readonly message: string
  readonly partitions: readonly (readonly ExpectedRecord[])[]
}

/** Encodes units and says which records they are to leave: one of an encoder's failure has neither key nor value. */
export function expectedRecords(
  { project, instance }: TestProject,
  schema: Schema,
  units: readonly Unit<Schema, unknown>[],
): ExpectedTopic[] {
  const registrations = topicRegistrations(project, instance.instance, instance.topics)
  const full = units.filter(({ messages = {} }) => Object.values(messages).some((list) => list && list.length > 0))
  return [...messageTopics(schema, project, instance.topics)].map(([name, topic]) => {
    const { render } = createRecordRenderer(registrations.find((one) => one.topic === topic.topic)!)
    const partitions = Array.from({ length: topic.partitions }, (): ExpectedRecord[] => [])
    for (const [unit, { messages }] of full.entries()) {
      for (const message of messages?.[name] ?? []) {
        const { key, value, partition } = encode(topic, message)
        const record = { topic: topic.topic, partition, offset: 0n, time: 0, key, value, headers: [] }
        const shown = publishedRecord(record, render)
        partitions[partition]!.push({ unit, key: shown.key, value: shown.value })
      }
    }
    return { message: topic.codec.name, partitions }
  })
}

interface EncodedMessage {
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly partition: number
}

function encode({ codec, readKey, partitions }: MessageTopic, message: unknown): EncodedMessage {
  const writer = new MessageWriter()
  try {
    codec.encode(message, writer.codecWriter)
    const value = writer.take()
    const key = readKey?.(value) ?? null
    return { key, value, partition: partitions > 1 && key ? partitionForKey(key, partitions) : 0 }
  } catch {
    return { key: null, value: null, partition: 0 }
  }
}
