import type { Finding } from '../../finding.ts'
import type { Cluster } from '../connection/cluster.ts'
import { grantCommand } from '../connection/security/permission.ts'
import { askTopicSettings, type Settings } from './describe-settings.ts'
import { durabilityFindings, durabilitySettings } from './durability.ts'
import {
  checkedSettings,
  configureRightCommand,
  describeWrongSettings,
  isSystemTopic,
  wrongSettings,
} from './topic-settings.ts'
import { findTransactionState } from './warn-of-durability.ts'

/** Settings of the topics of connectors, of the system and of Kafka's transactions. */
export async function* diagnoseTopics(cluster: Cluster): AsyncGenerator<Finding> {
  const found = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(null))
  const ours = [...found.values()].filter(({ name }) => isSystemTopic(name) || isDataTopic(name))
  const all = [...ours, ...(await findTransactionState(cluster))]
  const names = all.map(({ name }) => name)
  const { settings, hidden } = await askTopicSettings(cluster, names, [...checkedSettings, ...durabilitySettings])
  if (hidden.length > 0) yield hiddenSettings(hidden, cluster.principal)
  for (const { name, internal, replicas } of all) {
    const seen = settings.get(name)
    if (seen && !internal) yield* wrongSettingsFindings(name, seen)
    yield* durabilityFindings({ topic: name, replicas, settings: seen })
  }
}

/** Named as those of a connector, with a segment for the version: `headrace.evm.1_0_0.ethereum_Block`. */
function isDataTopic(name: string): boolean {
  return /\.\d+_\d+_\d+\./.test(name)
}

/** A system topic is checked by the cleanup that it has: either may be right. */
function wrongSettingsFindings(topic: string, settings: Settings): Finding[] {
  const cleanup = isSystemTopic(topic) && settings.get('cleanup.policy') === 'compact' ? 'compact' : 'delete'
  const wrong = wrongSettings(cleanup, settings)
  if (wrong.length === 0) return []
  return [
    {
      severity: 'error',
      code: 'topic_mismatch',
      place: `topic "${topic}"`,
      message: `The topic may lose records: ${describeWrongSettings(wrong)}.`,
      remedy: `Mend it with: ${configureRightCommand(topic, wrong)}`,
      repaired: false,
    },
  ]
}

function hiddenSettings(topics: readonly string[], principal: string | undefined): Finding {
  const more = topics.length > 3 ? ` and ${topics.length - 3} more` : ''
  return {
    severity: 'warning',
    code: 'permission_denied',
    place: `topics ${topics.slice(0, 3).join(', ')}${more}`,
    message: 'The settings of these topics cannot be checked: DESCRIBE_CONFIGS on them is missing.',
    remedy: grantCommand({ operation: 'DESCRIBE_CONFIGS', resource: 'topic', name: 'NAME' }, principal),
    repaired: false,
  }
}
