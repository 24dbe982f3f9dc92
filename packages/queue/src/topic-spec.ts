import { UserError } from './errors.ts'
import type { TopicSpec } from './queue.ts'

export type CheckedTopicSpec = Required<TopicSpec>

/** @throws {UserError} `invalid_topic` */
export function checkTopicSpec({ name, partitions = 1, cleanup = 'delete' }: TopicSpec): CheckedTopicSpec {
  if (!/^[A-Za-z0-9._-]{1,249}$/.test(name) || name === '.' || name === '..') {
    const allowed = 'a name is 1–249 characters of A–Z, a–z, 0–9, ".", "_" and "-", and neither "." nor "..".'
    throw invalidTopic(`"${name}" cannot name a topic: ${allowed}`)
  }
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > maxPartitions)
    throw invalidTopic(`Topic "${name}" cannot have ${partitions} partitions: choose 1 to ${maxPartitions}.`)
  if (cleanup !== 'delete' && cleanup !== 'compact')
    throw invalidTopic(`Topic "${name}" cannot have cleanup "${cleanup}": choose "delete" or "compact".`)
  return { name, partitions, cleanup }
}

function invalidTopic(message: string): UserError {
  return new UserError('invalid_topic', message)
}

const maxPartitions = 64

export function otherPartitionsRemedy(existing: number): string {
  return (
    `Set "partitions" of the topic in manifest.yaml to ${existing}: keys stay in their partition. Or give ` +
    '"topicVersion" a new number: new topics are created, and this one keeps its records.'
  )
}
