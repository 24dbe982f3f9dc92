import { HeadraceError } from '../../errors.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { askTopicSettings } from './describe-settings.ts'
import { durabilityFindings, durabilitySettings } from './durability.ts'
import type { LoadedTopic } from './topic-directory.ts'

/** Kafka's own topic of transactions: what is lost of it decides what becomes of ours. */
export const transactionStateTopic = '__transaction_state'

/** Warns once of each weakness of these topics, and of where Kafka keeps the state of transactions. */
export async function warnOfDurability(cluster: Cluster, topics: readonly LoadedTopic[]): Promise<void> {
  const all = [...topics, ...(await loadTransactionState(cluster))]
  const findings = all.flatMap(({ name, replicas, settings }) =>
    durabilityFindings({ topic: name, replicas, settings }),
  )
  for (const [code, alike] of Map.groupBy(findings, ({ code }) => code)) {
    const places = alike.map(({ place }) => place)
    cluster.warnOnce(alike[0]!.message, { code, places, remedy: alike[0]!.remedy }, `${code} ${places}`)
  }
}

async function loadTransactionState(cluster: Cluster): Promise<LoadedTopic[]> {
  const found = await findTransactionState(cluster)
  const { settings } = await askTopicSettings(
    cluster,
    found.map(({ name }) => name),
    durabilitySettings,
  )
  return found.map((topic) => ({ ...topic, settings: settings.get(topic.name) }))
}

/** It is there from the first transaction on. Few may see it. */
export async function findTransactionState(cluster: Cluster): Promise<TopicMetadata[]> {
  try {
    const names = [transactionStateTopic]
    const found = await cluster.onAny('looking at the state of transactions', () => cluster.metadata.fetch(names))
    return [...found.values()]
  } catch (error) {
    if (error instanceof HeadraceError && error.code === 'permission_denied') return []
    throw error
  }
}
