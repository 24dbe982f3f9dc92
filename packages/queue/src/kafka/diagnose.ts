import { addAbortListener } from 'node:events'
import { HeadraceError } from '../errors.ts'
import type { Finding } from '../finding.ts'
import { formatBroker } from '../queue-url.ts'
import { describeBrokerSetting, describeTopicSettings } from './admin/describe-settings.ts'
import { durabilityFindings, durabilitySettings, findTransactionState } from './admin/durability.ts'
import {
  checkedSettings,
  configureCommand,
  describeWrongSettings,
  isSystemTopic,
  wrongSettings,
} from './admin/topic-settings.ts'
import { type Cluster, type KafkaOptions, openCluster } from './connection/cluster.ts'
import { grantCommand, unlessDenied } from './connection/security/permission.ts'
import { chooseProtocol } from './transaction/protocol/choose-protocol.ts'

export interface DiagnoseKafkaOptions extends KafkaOptions {
  readonly signal?: AbortSignal
}

/** Checks whether a cluster can be used, and its settings. Errors are findings; only the signal's reason is thrown. */
export async function* diagnoseKafka(options: DiagnoseKafkaOptions): AsyncGenerator<Finding> {
  const { bootstrap, kafkaConfig, signal } = options
  const place = kafkaConfig ?? bootstrap.map(formatBroker).join(',')
  try {
    const cluster = await openCluster(options)
    using _listener = signal && addAbortListener(signal, () => cluster.close())
    try {
      signal?.throwIfAborted()
      const { name } = await chooseProtocol(cluster)
      if (name !== 'TV2') yield oldTransactions
      yield* diagnoseBrokers(cluster)
      yield* diagnoseTopics(cluster)
    } finally {
      cluster.close()
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof HeadraceError)) throw error
    const { code, message } = error
    const remedy = code === 'queue_unavailable' ? reachable : 'The message says what to do.'
    yield { severity: 'error', code, place, message, remedy, repaired: false }
  }
}

const oldTransactions: Finding = {
  severity: 'warning',
  code: 'old_transactions',
  place: 'cluster',
  message: 'Transactions are at a feature level below transaction.version=2: they take longer (KIP-890).',
  remedy:
    'With Kafka 4.0 or newer: kafka-features.sh --bootstrap-server HOST:PORT upgrade --feature transaction.version=2',
  repaired: false,
}

const reachable = 'Check the address of the queue, the network, and that the brokers run.'

async function* diagnoseBrokers(cluster: Cluster): AsyncGenerator<Finding> {
  await cluster.onAny('looking for brokers', () => cluster.metadata.fetch([]))
  for (const node of cluster.metadata.nodes()) {
    const place = `broker ${node}`
    const limit = await unlessDenied(describeBrokerSetting(cluster, maxTransactionTimeout, node))
    if (limit === undefined) {
      const message = 'The settings of brokers cannot be checked: DESCRIBE_CONFIGS on cluster is missing.'
      yield missingPermission(cluster, place, 'cluster', message)
      // The permission is the same for all brokers.
      return
    }
    const { transactionTimeoutMs } = cluster.settings
    if (limit !== null && Number(limit) < transactionTimeoutMs) {
      const message = `${maxTransactionTimeout} is ${limit}: writers open their transactions for up to ${transactionTimeoutMs} ms.`
      const remedy = `Set ${maxTransactionTimeout} of the brokers to ${transactionTimeoutMs} or more; its default is 900000.`
      yield { severity: 'error', code: 'unsupported_broker', place, message, remedy, repaired: false }
    }
  }
}

export const maxTransactionTimeout: string = 'transaction.max.timeout.ms'

async function* diagnoseTopics(cluster: Cluster): AsyncGenerator<Finding> {
  const found = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(null))
  const ours = [...found.values()].filter(({ name }) => isSystemTopic(name) || isDataTopic(name))
  const all = [...ours, ...(await findTransactionState(cluster))]
  const hidden: string[] = []
  const names = [...checkedSettings, ...durabilitySettings]
  const described = await describeTopicSettings(cluster, all, names, (topics) => hidden.push(...topics))
  if (hidden.length > 0) {
    const more = hidden.length > 3 ? ` and ${hidden.length - 3} more` : ''
    const message = 'The settings of these topics cannot be checked: DESCRIBE_CONFIGS on them is missing.'
    yield missingPermission(cluster, `topics ${hidden.slice(0, 3).join(', ')}${more}`, 'topic', message)
  }
  for (const topic of described) {
    const { name, internal, settings } = topic
    const cleanup = isSystemTopic(name) && settings?.get('cleanup.policy') === 'compact' ? 'compact' : 'delete'
    const wrong = settings && !internal ? wrongSettings(cleanup, settings) : []
    if (wrong.length > 0) {
      const message = `The topic may lose records: ${describeWrongSettings(wrong)}.`
      const remedy = `Fix it with: ${configureCommand(name, wrong)}`
      yield { severity: 'error', code: 'topic_mismatch', place: `topic "${name}"`, message, remedy, repaired: false }
    }
    yield* durabilityFindings(topic)
  }
}

/** As in `headrace.evm.1_0_0.ethereum_Block`. */
function isDataTopic(name: string): boolean {
  return /\.\d+_\d+_\d+\./.test(name)
}

function missingPermission(
  { principal }: Cluster,
  place: string,
  resource: 'topic' | 'cluster',
  message: string,
): Finding {
  const name = resource === 'topic' ? 'NAME' : undefined
  const remedy = grantCommand({ operation: 'DESCRIBE_CONFIGS', resource, name }, principal)
  return { severity: 'warning', code: 'permission_denied', place, message, remedy, repaired: false }
}
