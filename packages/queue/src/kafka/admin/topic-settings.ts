import { TopicMismatchError } from '../../errors.ts'
import type { CheckedTopicSpec } from '../../topic-spec.ts'

/**
 * Settings that a topic is created with.
 *
 * Record times are times of the source, so a broker that deletes by time would delete history at once, even inside an
 * open transaction: data topics are never deleted from by the broker, nor rolled by time, and keep the times of their
 * records. Compacted topics roll small segments, because the newest segment is never compacted, and are compacted early.
 */
export function settingsFor({ cleanup }: CheckedTopicSpec): Record<string, string> {
  const shared = { 'cleanup.policy': cleanup, 'message.timestamp.type': 'CreateTime' }
  if (cleanup === 'compact') {
    return {
      ...shared,
      'segment.bytes': String(16 * 1024 * 1024),
      'segment.ms': String(60 * 60 * 1000),
      'min.cleanable.dirty.ratio': '0.1',
    }
  }
  return { ...shared, 'retention.ms': '-1', 'retention.bytes': '-1', 'segment.ms': '9223372036854775807' }
}

/** The settings that decide whether an existing topic may be used. */
export const checkedSettings: readonly string[] = [
  'cleanup.policy',
  'message.timestamp.type',
  'retention.ms',
  'retention.bytes',
]

/** @throws {TopicMismatchError} an existing topic has other partitions, or settings under which records would be lost. */
export function checkExistingTopic(
  spec: CheckedTopicSpec,
  existing: { readonly partitions: number; readonly settings: ReadonlyMap<string, string | null> },
): void {
  if (existing.partitions !== spec.partitions) {
    throw new TopicMismatchError(spec.name, `${existing.partitions} partitions instead of ${spec.partitions}`)
  }
  const wanted = settingsFor(spec)
  for (const name of checkedSettings) {
    const found = existing.settings.get(name)
    if (wanted[name] !== undefined && found !== wanted[name]) {
      throw new TopicMismatchError(spec.name, `${name}=${found} instead of ${wanted[name]}`)
    }
  }
}
