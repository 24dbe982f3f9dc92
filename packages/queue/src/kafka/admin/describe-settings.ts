import { brokerErrorCodes, checkAnswer } from '../connection/broker-error.ts'
import type { Cluster } from '../connection/cluster.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { describeConfigsV4 } from '../connection/requests.ts'

export type Settings = ReadonlyMap<string, string | null>

export interface TopicWithSettings extends TopicMetadata {
  /** `undefined` without DESCRIBE_CONFIGS permission, or if the topic was deleted in the meantime. */
  readonly settings: Settings | undefined
}

/** `onHidden` gets the topics without DESCRIBE_CONFIGS permission. Default: logs a warning. */
export async function describeTopicSettings(
  cluster: Cluster,
  topics: readonly TopicMetadata[],
  names: readonly string[],
  onHidden: (topics: readonly string[]) => void = (hidden) => warnOfHidden(cluster, hidden),
): Promise<TopicWithSettings[]> {
  if (topics.length === 0) return []
  const settings = new Map<string, Settings>()
  const hidden: string[] = []
  const configurationKeys = [...names]
  const resources = topics.map(({ name }) => ({ resourceType: topicResource, resourceName: name, configurationKeys }))
  const { results } = await cluster.onAny('describing topics', (connection) =>
    connection.request(describeConfigsV4.api, resources, false, false),
  )
  for (const { resourceName: topic, errorCode, errorMessage, configs } of results) {
    if (errorCode === brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION) continue
    if (errorCode === brokerErrorCodes.TOPIC_AUTHORIZATION_FAILED) {
      hidden.push(topic)
      continue
    }
    checkAnswer(errorCode, `settings of topic "${topic}"`, { request: 'DescribeConfigs', topic }, errorMessage)
    settings.set(topic, new Map(configs.map(({ name, value }) => [name, value ?? null])))
  }
  if (hidden.length > 0) onHidden(hidden)
  return topics.map((topic) => ({ ...topic, settings: settings.get(topic.name) }))
}

const topicResource = 2 as const

function warnOfHidden(cluster: Cluster, topics: readonly string[]): void {
  const message = 'settings of topics cannot be checked: DESCRIBE_CONFIGS on them is missing'
  cluster.warnOnce(message, { topics, principal: cluster.principal })
}

/** A setting of the broker `node`, which only that broker reports. Default: any broker, another one at each attempt. */
export async function describeBrokerSetting(cluster: Cluster, name: string, node?: number): Promise<string | null> {
  const what = node === undefined ? 'describing the settings of a broker' : `describing broker ${node}`
  let tries = 0
  return cluster.onAny(what, async () => {
    await cluster.metadata.fetch([])
    const nodes = cluster.metadata.nodes()
    const asked = node ?? nodes[tries++ % nodes.length]!
    const connection = await cluster.connections.to(cluster.metadata.address(asked))
    const resource = { resourceType: brokerResource, resourceName: `${asked}`, configurationKeys: [name] }
    const { results } = await connection.request(describeConfigsV4.api, [resource], false, false)
    const { errorCode, errorMessage, configs } = results[0]!
    checkAnswer(errorCode, `settings of broker ${asked}`, { request: 'DescribeConfigs' }, errorMessage)
    return configs.find((config) => config.name === name)?.value ?? null
  })
}

const brokerResource = 4 as const
