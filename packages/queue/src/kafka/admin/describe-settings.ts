import { checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import { describeConfigsRequest } from '../connection/requests.ts'

/** Settings of topics by topic and name, those that come from the broker's defaults included. */
export async function describeTopicSettings(
  cluster: Cluster,
  topics: readonly string[],
  names: readonly string[],
): Promise<Map<string, Map<string, string | null>>> {
  if (topics.length === 0) return new Map()
  return cluster.onAny('describing topics', async (connection) => {
    const resources = topics.map((topic) => ({
      resourceType: topicResource,
      resourceName: topic,
      configurationKeys: [...names],
    }))
    const { results } = await connection.request(describeConfigsRequest, resources, false, false)
    const settings = new Map<string, Map<string, string | null>>()
    for (const { resourceName, errorCode, errorMessage, configs } of results) {
      checkAnswer(errorCode, `settings of topic "${resourceName}"`, errorMessage)
      settings.set(resourceName, new Map(configs.map(({ name, value }) => [name, value ?? null])))
    }
    return settings
  })
}

const topicResource = 2 as const
