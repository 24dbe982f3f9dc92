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
): Promise<ReadonlyMap<string, Settings>> {
  const { settings, hidden } = await askTopicSettings(cluster, topics, names)
  if (hidden.length > 0) {
    const message = 'settings of topics cannot be checked: DESCRIBE_CONFIGS on them is missing'
    cluster.warnOnce(message, { topics: hidden, principal: cluster.principal })
  }
  return settings
}

export interface TopicSettings {
  /** By topic. */
  readonly settings: ReadonlyMap<string, Settings>
  /** Topics whose settings this principal may not see. */
  readonly hidden: readonly string[]
}

export async function askTopicSettings(
  cluster: Cluster,
  topics: readonly string[],
  names: readonly string[],
): Promise<TopicSettings> {
  const settings = new Map<string, Settings>()
  const hidden: string[] = []
  if (topics.length === 0) return { settings, hidden }
  const results = await cluster.onAny('describing topics', async (connection) => {
    const resources = topics.map((topic) => ({
      resourceType: topicResource,
      resourceName: topic,
      configurationKeys: [...names],
    }))
    return (await connection.request(describeConfigsRequest, resources, false, false)).results
  })
  for (const { resourceName: topic, errorCode, errorMessage, configs } of results) {
    // It was deleted in this moment.
    if (errorCode === brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION) continue
    if (errorCode === brokerErrorCodes.TOPIC_AUTHORIZATION_FAILED) {
      hidden.push(topic)
      continue
    }
    checkAnswer(errorCode, `settings of topic "${topic}"`, { request: 'DescribeConfigs', topic }, errorMessage)
    settings.set(topic, settingsOf(configs))
  }
  return { settings, hidden }
}

const topicResource = 2 as const

/** Settings of a broker, which it alone tells; `undefined` where this principal may not see them. */
export async function describeBrokerSettings(
  cluster: Cluster,
  node: number,
  names: readonly string[],
): Promise<Settings | undefined> {
  return cluster.retry(`describing broker ${node}`, async () => {
    const connection = await cluster.connections.to(cluster.metadata.address(node))
    const resource = { resourceType: brokerResource, resourceName: `${node}`, configurationKeys: [...names] }
    const { results } = await connection.request(describeConfigsRequest, [resource], false, false)
    const { errorCode, errorMessage, configs } = results[0]!
    if (errorCode === brokerErrorCodes.CLUSTER_AUTHORIZATION_FAILED) return undefined
    checkAnswer(errorCode, `settings of broker ${node}`, { request: 'DescribeConfigs' }, errorMessage)
    return settingsOf(configs)
  })
}

const brokerResource = 4 as const

function settingsOf(
  configs: readonly { readonly name: string; readonly value?: string | null | undefined }[],
): Settings {
  return new Map(configs.map(({ name, value }) => [name, value ?? null]))
}
