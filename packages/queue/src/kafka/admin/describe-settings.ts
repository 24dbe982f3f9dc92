import { brokerErrorCodes, checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { describeConfigsRequest } from '../connection/requests.ts'

/** Settings by name, those that come from the broker's defaults included. */
export type Settings = ReadonlyMap<string, string | null>

/**
 * Settings of topics by topic. Those of a topic that this principal may not see (DESCRIBE_CONFIGS) are left out, with a
 * warning: nobody needs them to write or to read.
 */
export async function describeTopicSettings(
  cluster: Cluster,
  topics: readonly string[],
  names: readonly string[],
): Promise<Map<string, Settings>> {
  if (topics.length === 0) return new Map()
  return cluster.onAny('describing topics', async (connection) => {
    const resources = topics.map((topic) => ({
      resourceType: topicResource,
      resourceName: topic,
      configurationKeys: [...names],
    }))
    const { results } = await connection.request(describeConfigsRequest, resources, false, false)
    const settings = new Map<string, Settings>()
    const hidden: string[] = []
    for (const { resourceName: topic, errorCode, errorMessage, configs } of results) {
      if (errorCode === brokerErrorCodes.TOPIC_AUTHORIZATION_FAILED) {
        hidden.push(topic)
        continue
      }
      checkAnswer(errorCode, `settings of topic "${topic}"`, { request: 'DescribeConfigs', topic }, errorMessage)
      settings.set(topic, new Map(configs.map(({ name, value }) => [name, value ?? null])))
    }
    if (hidden.length > 0) {
      const message = 'settings of topics cannot be checked: DESCRIBE_CONFIGS on them is missing'
      cluster.warnOnce(message, { topics: hidden, principal: cluster.principal })
    }
    return settings
  })
}

const topicResource = 2 as const
