import { TopicMismatchError } from '../../errors.ts'
import type { Cleanup } from '../../queue.ts'
import { type CheckedTopicSpec, otherPartitionsRemedy } from '../../topic-spec.ts'
import type { Settings } from './describe-settings.ts'

/**
 * Record times are times of the source: by time a broker would delete history at once. Compacted topics have small
 * segments, because the newest one is never compacted.
 */
export function settingsFor(cleanup: Cleanup): Record<string, string> {
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

export const checkedSettings: readonly string[] = [
  'cleanup.policy',
  'message.timestamp.type',
  'retention.ms',
  'retention.bytes',
]

export interface WrongSetting {
  readonly name: string
  readonly found: string | null
  readonly wanted: string
}

export function wrongSettings(cleanup: Cleanup, settings: Settings): WrongSetting[] {
  const wanted = settingsFor(cleanup)
  return checkedSettings.flatMap((name): WrongSetting[] => {
    const found = settings.get(name)
    const right = wanted[name]
    return right === undefined || found === undefined || found === right ? [] : [{ name, found, wanted: right }]
  })
}

/** `retention.ms=1000 instead of -1, …` */
export function describeWrongSettings(wrong: readonly WrongSetting[]): string {
  return wrong.map(({ name, found, wanted }) => `${name}=${found} instead of ${wanted}`).join(', ')
}

export function configureCommand(topic: string, settings: readonly Pick<WrongSetting, 'name' | 'wanted'>[]): string {
  const changes = settings.map(({ name, wanted }) => `${name}=${wanted}`)
  return (
    'kafka-configs.sh --bootstrap-server HOST:PORT --alter --entity-type topics ' +
    `--entity-name ${topic} --add-config ${changes.join(',')}`
  )
}

/** @throws {TopicMismatchError} another number of partitions, or visible settings that lose or change records. */
export function checkExistingTopic(
  { name, partitions, cleanup }: CheckedTopicSpec,
  existing: { readonly partitions: number; readonly settings: Settings | undefined },
): void {
  const wrong = existing.settings ? wrongSettings(cleanup, existing.settings) : []
  const otherPartitions = existing.partitions !== partitions
  if (wrong.length === 0 && !otherPartitions) return
  const differences: string[] = []
  const remedies: string[] = []
  if (otherPartitions) {
    differences.push(`${countPartitions(existing.partitions)} instead of ${partitions}`)
    remedies.push(isSystemTopic(name) ? systemTopicRemedy(partitions) : otherPartitionsRemedy(existing.partitions))
  }
  if (wrong.length > 0) {
    differences.push(describeWrongSettings(wrong))
    const usable = !(otherPartitions && isSystemTopic(name))
    if (usable) remedies.push(`If it is to be used, change it with: ${configureCommand(name, wrong)}`)
  }
  throw new TopicMismatchError(name, differences.join(', '), { remedy: remedies.join(' ') })
}

function countPartitions(count: number): string {
  return count === 1 ? '1 partition' : `${count} partitions`
}

export function isSystemTopic(name: string): boolean {
  return name.startsWith('_headrace.')
}

function systemTopicRemedy(partitions: number): string {
  return (
    'The number of partitions of a system topic is fixed, and the first command that uses the queue creates it so: ' +
    'this topic was created or changed by hand, or by another program. Use another Kafka cluster, or restore the ' +
    `topic from a backup that has ${countPartitions(partitions)}. Never delete it while it holds records: they exist ` +
    'nowhere else, and a connector without its checkpoint publishes everything a second time.'
  )
}
