import { brokerErrorCodes, checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { describeConfigsRequest } from '../connection/requests.ts'

export type Settings = ReadonlyMap<string, string | null>

export interface TopicWithSettings extends TopicMetadata {
  readonly settings: Settings | undefined
}

/** Warns of topics without DESCRIBE_CONFIGS permission, and omits them. */
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

/** `hidden`: the topics without DESCRIBE_CONFIGS permission. */
export async function askTopicSettings(
  cluster: Cluster,
  topics: readonly string[],
  names: readonly string[],
): Promise<{ readonly settings: ReadonlyMap<string, Settings>; readonly hidden: readonly string[] }> {
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

/** Settings of a broker, which only that broker reports. Default `node`: any, another one for each attempt. */
export async function describeBrokerSettings(
  cluster: Cluster,
  names: readonly string[],
  node?: number,
): Promise<Settings> {
  const what = node === undefined ? 'describing the settings of a broker' : `describing broker ${node}`
  let tries = 0
  return cluster.onAny(what, async () => {
    await cluster.metadata.fetch([])
    const nodes = cluster.metadata.nodes()
    const asked = node ?? nodes[tries++ % nodes.length]!
    const connection = await cluster.connections.to(cluster.metadata.address(asked))
    const resource = { resourceType: brokerResource, resourceName: `${asked}`, configurationKeys: [...names] }
    const { results } = await connection.request(describeConfigsRequest, [resource], false, false)
    for (const { errorCode, errorMessage } of results)
      checkAnswer(errorCode, `settings of broker ${asked}`, { request: 'DescribeConfigs' }, errorMessage)
    return settingsOf(results.flatMap(({ configs }) => configs))
  })
}

const brokerResource = 4 as const

function settingsOf(
  configs: readonly { readonly name: string; readonly value?: string | null | undefined }[],
): Settings {
  return new Map(configs.map(({ name, value }) => [name, value ?? null]))
}
