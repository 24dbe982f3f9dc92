import { UserError } from '../../errors.ts'
import type { TopicSpec } from '../../queue.ts'
import { type CheckedTopicSpec, checkTopicSpec } from '../../topic-spec.ts'
import { BrokerError, brokerErrorCodes, checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { placesOf } from '../connection/metadata.ts'
import { createTopicsV7 } from '../connection/requests.ts'
import { describeTopicSettings } from './describe-settings.ts'
import { listOffsets } from './list-offsets.ts'
import { checkExistingTopic, checkedSettings, settingsFor } from './topic-settings.ts'

/** Waits until the topics can be written to and read. */
export async function createTopics(cluster: Cluster, specs: readonly TopicSpec[]): Promise<void> {
  const checked = specs.map(checkTopicSpec)
  const missing = await checkExisting(cluster, checked)
  if (missing.length === 0) return
  const raced = await requestCreation(cluster, missing)
  const created = await cluster.retry('waiting for the new topics', async () => {
    const found = await cluster.metadata.fetch(missing.map(({ name }) => name))
    if (found.size === missing.length) return [...found.values()]
    throw new BrokerError(brokerErrorCodes.LEADER_NOT_AVAILABLE, 'the new topics do not exist yet')
  })
  await listOffsets(cluster, created.flatMap(placesOf), 'lastStable')
  if (raced) await checkExisting(cluster, missing)
}

async function checkExisting(cluster: Cluster, specs: readonly CheckedTopicSpec[]): Promise<CheckedTopicSpec[]> {
  const names = specs.map(({ name }) => name)
  const existing = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(names))
  const described = await describeTopicSettings(cluster, [...existing.values()], checkedSettings)
  for (const spec of specs) {
    const found = described.find(({ name }) => name === spec.name)
    if (found) checkExistingTopic(spec, { partitions: found.leaders.length, settings: found.settings })
  }
  return specs.filter(({ name }) => !existing.has(name))
}

/** Returns whether another process has created one of them. */
async function requestCreation(cluster: Cluster, specs: readonly CheckedTopicSpec[]): Promise<boolean> {
  return cluster.onAny('creating topics', async (connection) => {
    const topics = specs.map((spec) => ({
      name: spec.name,
      numPartitions: spec.partitions,
      replicationFactor: -1,
      assignments: [],
      configs: Object.entries(settingsFor(spec.cleanup)).map(([name, value]) => ({ name, value })),
    }))
    const answer = await connection.request(createTopicsV7.api, topics, cluster.settings.requestTimeoutMs, false)
    for (const { name, errorCode, errorMessage } of answer.topics) {
      if (errorCode === brokerErrorCodes.TOPIC_ALREADY_EXISTS) continue
      if (errorCode === brokerErrorCodes.INVALID_TOPIC_EXCEPTION) {
        throw new UserError('invalid_topic', `Kafka refuses the topic "${name}": ${errorMessage}`)
      }
      checkAnswer(errorCode, `creating topic "${name}"`, { request: 'CreateTopics', topic: name }, errorMessage)
    }
    return answer.topics.some(({ errorCode }) => errorCode === brokerErrorCodes.TOPIC_ALREADY_EXISTS)
  })
}
