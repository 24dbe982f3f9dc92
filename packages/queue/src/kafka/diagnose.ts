import { HeadraceError } from '../errors.ts'
import type { Finding } from '../finding.ts'
import { formatBroker } from '../queue-url.ts'
import { askTopicSettings, describeBrokerSettings, type Settings } from './admin/describe-settings.ts'
import { durabilityFindings, durabilitySettings, findTransactionState } from './admin/durability.ts'
import {
  checkedSettings,
  configureRightCommand,
  describeWrongSettings,
  isSystemTopic,
  wrongSettings,
} from './admin/topic-settings.ts'
import { type Cluster, type KafkaOptions, openCluster } from './connection/cluster.ts'
import { grantCommand } from './connection/security/permission.ts'
import { chooseProtocol } from './transaction/protocol/choose-protocol.ts'

export interface DiagnoseKafkaOptions extends KafkaOptions {
  readonly signal?: AbortSignal
}

/**
 * Checks whether a Kafka cluster can be reached and used, and the settings of its brokers and topics. Errors become
 * findings; only the signal's reason is thrown.
 */
export async function* diagnoseKafka(options: DiagnoseKafkaOptions): AsyncGenerator<Finding> {
  const { bootstrap, kafkaConfig, signal } = options
  const place = kafkaConfig ?? bootstrap.map(formatBroker).join(',')
  try {
    const cluster = await openCluster(options)
    const close = (): void => cluster.close()
    signal?.addEventListener('abort', close)
    try {
      signal?.throwIfAborted()
      const { name } = await chooseProtocol(cluster)
      if (name !== 'TV2') yield oldTransactions
      yield* diagnoseBrokers(cluster)
      yield* diagnoseTopics(cluster)
    } finally {
      signal?.removeEventListener('abort', close)
      close()
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof HeadraceError)) throw error
    const { code, message } = error
    yield { severity: 'error', code, place, message, remedy: remedyFor(code), repaired: false }
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

function remedyFor(code: string): string {
  if (code === 'queue_unavailable') return 'Check the address of the queue, the network, and that the brokers run.'
  return 'The message says what to do.'
}

async function* diagnoseBrokers(cluster: Cluster): AsyncGenerator<Finding> {
  await cluster.onAny('looking for brokers', () => cluster.metadata.fetch([]))
  for (const node of cluster.metadata.nodes()) {
    const place = `broker ${node}`
    const settings = await describeBrokerSettings(cluster, [maxTransactionTimeout], node).catch(
      (error: unknown): undefined => {
        if (!(error instanceof HeadraceError) || error.code !== 'permission_denied') throw error
      },
    )
    if (!settings) {
      yield missingPermission(cluster, place, {
        message: 'The settings of brokers cannot be checked: DESCRIBE_CONFIGS on cluster is missing.',
        resource: 'cluster',
      })
      // The permission is the same for all brokers.
      return
    }
    const allowed = Number(settings.get(maxTransactionTimeout) ?? Number.NaN)
    const { transactionTimeoutMs } = cluster.settings
    if (allowed < transactionTimeoutMs) {
      yield {
        severity: 'error',
        code: 'unsupported_broker',
        place,
        message: `${maxTransactionTimeout} is ${allowed}: writers open their transactions for up to ${transactionTimeoutMs} ms.`,
        remedy: `Set ${maxTransactionTimeout} of the brokers to ${transactionTimeoutMs} or more; its default is 900000.`,
        repaired: false,
      }
    }
  }
}

export const maxTransactionTimeout: string = 'transaction.max.timeout.ms'

async function* diagnoseTopics(cluster: Cluster): AsyncGenerator<Finding> {
  const found = await cluster.onAny('looking for topics', () => cluster.metadata.fetch(null))
  const ours = [...found.values()].filter(({ name }) => isSystemTopic(name) || isDataTopic(name))
  const all = [...ours, ...(await findTransactionState(cluster))]
  const names = all.map(({ name }) => name)
  const { settings, hidden } = await askTopicSettings(cluster, names, [...checkedSettings, ...durabilitySettings])
  if (hidden.length > 0) {
    const more = hidden.length > 3 ? ` and ${hidden.length - 3} more` : ''
    yield missingPermission(cluster, `topics ${hidden.slice(0, 3).join(', ')}${more}`, {
      message: 'The settings of these topics cannot be checked: DESCRIBE_CONFIGS on them is missing.',
      resource: 'topic',
    })
  }
  for (const topic of all) {
    const known = settings.get(topic.name)
    if (known && !topic.internal) yield* wrongSettingsFindings(topic.name, known)
    yield* durabilityFindings({ ...topic, settings: known })
  }
}

/** As in `headrace.evm.1_0_0.ethereum_Block`. */
function isDataTopic(name: string): boolean {
  return /\.\d+_\d+_\d+\./.test(name)
}

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
      remedy: `Fix it with: ${configureRightCommand(topic, wrong)}`,
      repaired: false,
    },
  ]
}

function missingPermission(
  { principal }: Cluster,
  place: string,
  { message, resource }: { readonly message: string; readonly resource: 'topic' | 'cluster' },
): Finding {
  const name = resource === 'topic' ? 'NAME' : undefined
  const remedy = grantCommand({ operation: 'DESCRIBE_CONFIGS', resource, name }, principal)
  return { severity: 'warning', code: 'permission_denied', place, message, remedy, repaired: false }
}
