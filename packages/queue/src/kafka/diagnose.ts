import { HeadraceError } from '../errors.ts'
import type { Finding } from '../finding.ts'
import { type BrokerAddress, formatBroker } from '../queue-url.ts'
import { diagnoseBrokers } from './admin/diagnose-brokers.ts'
import { diagnoseTopics } from './admin/diagnose-topics.ts'
import { createCluster } from './connection/cluster.ts'
import { defaultKafkaSettings, type KafkaSettings } from './connection/kafka-settings.ts'
import { readClientProperties } from './connection/security/client-properties.ts'
import { plaintextSecurity } from './connection/security/security.ts'
import { chooseProtocol } from './transaction/protocol/choose-protocol.ts'

export interface DiagnoseKafkaOptions {
  readonly bootstrap: readonly BrokerAddress[]
  /** Path of a `client.properties` file. */
  readonly kafkaConfig?: string
  readonly settings?: Partial<KafkaSettings>
  /** Ends it: the next finding is not waited for. */
  readonly signal?: AbortSignal
}

/**
 * Looks at everything about a Kafka that this engine depends on: whether it can be reached and used, the settings of its
 * brokers, and those of the topics of connectors. Changes nothing, and throws nothing but the signal's reason: what
 * goes wrong is a finding too.
 */
export async function* diagnoseKafka(options: DiagnoseKafkaOptions): AsyncGenerator<Finding> {
  const { bootstrap, kafkaConfig, signal } = options
  const place = kafkaConfig ?? bootstrap.map(formatBroker).join(',')
  try {
    const security = kafkaConfig === undefined ? plaintextSecurity : await readClientProperties(kafkaConfig)
    const settings = { ...defaultKafkaSettings, ...options.settings }
    const cluster = createCluster({ bootstrap, settings, security, log: silent })
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
    yield {
      severity: 'error',
      code: error.code,
      place,
      message: error.message,
      remedy: remedyFor(error),
      repaired: false,
    }
  }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

const oldTransactions: Finding = {
  severity: 'warning',
  code: 'old_transactions',
  place: 'cluster',
  message: 'Transactions are at a feature level below transaction.version=2: they take longer (KIP-890).',
  remedy:
    'With Kafka 4.0 or newer: kafka-features.sh --bootstrap-server HOST:PORT upgrade --feature transaction.version=2',
  repaired: false,
}

/** The message of an error ends with what to do. */
function remedyFor({ code }: HeadraceError): string {
  return code === 'queue_unavailable'
    ? 'Check the address of the queue, the network, and that the brokers run.'
    : 'The message says what to do.'
}
