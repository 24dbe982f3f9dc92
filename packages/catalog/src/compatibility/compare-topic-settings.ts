import type { DescMessage } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { schemaFromDescriptors } from '../schema/schema-set.ts'
import type { TopicForm } from './compare-topics.ts'
import { beginAnew, type Incompatibility, type IncompatibilityRule } from './incompatibility.ts'

type Setting = 'key' | 'time' | 'bytes' | 'partitions'

/**
 * Compares how the records of a topic are made. A key or time where there was none breaks nobody: what is stored keeps
 * its absent key and the time that it has.
 */
export function compareTopicSettings(before: TopicForm, after: TopicForm): Incompatibility[] {
  const changes = {
    key: before.key !== undefined && before.key !== after.key,
    time: before.time !== undefined && before.time !== after.time,
    bytes: before.bytes !== after.bytes && holdsBytes(before) && holdsBytes(after),
    partitions: before.partitions !== after.partitions,
  }
  return settings
    .filter((setting) => changes[setting])
    .map((setting) => ({
      rule: `${setting}_changed` satisfies IncompatibilityRule,
      message:
        `The "${setting}" of topic "${before.topic}" was ${word(before[setting])} and is ${word(after[setting])}. ` +
        `${consequences[setting]} Set it to ${word(before[setting])} again. ${beginAnew}`,
      at: { setting },
    }))
}

const settings: readonly Setting[] = ['key', 'time', 'bytes', 'partitions']

const consequences: Readonly<Record<Setting, string>> = {
  key: 'Readers that look records up by key would not find the stored and the new ones under the same key.',
  time: 'Readers that ask for a range of time would get stored and new records by different times.',
  bytes: 'Readers of JSON would get all bytes, stored ones too, in a form that they do not expect.',
  partitions:
    'Records of one key would lie in two partitions, and readers would no longer get them in the order they were written.',
}

function word(value: string | number | undefined): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}

/** Whether the setting `bytes` says anything about the message: whether there are bytes somewhere in it. */
function holdsBytes({ message, descriptors }: TopicForm): boolean {
  const seen = new Set<DescMessage>()
  const holds = (type: DescMessage | undefined): boolean => {
    if (!type || seen.has(type)) return false
    seen.add(type)
    return type.fields.some((field) => field.scalar === ScalarType.BYTES || holds(field.message))
  }
  return holds(schemaFromDescriptors(descriptors).message(message))
}
