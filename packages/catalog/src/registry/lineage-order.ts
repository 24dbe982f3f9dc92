import { compareVersions } from '../topic-name/version.ts'
import type { TopicRegistration } from './registration.ts'

/** Whether a topic of an older lineage carries what the wanted one will carry, for the same instance. */
export function isOlderLineage(other: TopicRegistration, wanted: TopicRegistration): boolean {
  return isSameInstance(other, wanted) && compareVersions(lineageVersion(other), lineageVersion(wanted)) < 0
}

/** Whether two topics are of one instance of one connector, of whatever version. */
export function isSameInstance(one: TopicRegistration, other: TopicRegistration): boolean {
  return (
    one.connector.owner === other.connector.owner &&
    one.connector.package === other.connector.package &&
    one.instance === other.instance
  )
}

/** The `topicVersion` of a topic: `1.0.0` of `acme.evm.1_0_0`. */
export function lineageVersion({ lineage }: Pick<TopicRegistration, 'lineage'>): string {
  return lineage.slice(lineage.lastIndexOf('.') + 1).replaceAll('_', '.')
}
