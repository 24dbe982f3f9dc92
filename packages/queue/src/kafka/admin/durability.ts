import type { Finding } from '../../finding.ts'
import type { Cluster } from '../connection/cluster.ts'
import { fullBatchBytes } from '../connection/kafka-settings.ts'
import type { TopicMetadata } from '../connection/metadata.ts'
import { unlessDenied } from '../connection/security/permission.ts'
import { describeTopicSettings, type TopicWithSettings } from './describe-settings.ts'
import { configureCommand } from './topic-settings.ts'

export const durabilitySettings: readonly string[] = [
  'min.insync.replicas',
  'unclean.leader.election.enable',
  'max.message.bytes',
]

export async function warnOfDurability(cluster: Cluster, topics: readonly TopicWithSettings[]): Promise<void> {
  const state = await findTransactionState(cluster)
  const described = await describeTopicSettings(cluster, state, durabilitySettings, () => {})
  const all = [...topics, ...described].flatMap(durabilityFindings)
  for (const [code, findings] of Map.groupBy(all, ({ code }) => code)) {
    const places = findings.map(({ place }) => place)
    const { message, remedy } = findings[0]!
    cluster.warnOnce(message, { code, places, remedy }, `${code} ${places}`)
  }
}

/** Few users may see it. */
export async function findTransactionState(cluster: Cluster): Promise<TopicMetadata[]> {
  const names = ['__transaction_state']
  const asked = cluster.onAny('looking at the state of transactions', () => cluster.metadata.fetch(names))
  return [...((await unlessDenied(asked))?.values() ?? [])]
}

/** Reasons why a topic may lose committed records, or refuse writes, when a broker fails. */
export function durabilityFindings(found: Pick<TopicWithSettings, 'name' | 'replicas' | 'settings'>): Finding[] {
  const { name: topic, replicas, settings } = found
  const findings: Finding[] = []
  const warn = (code: string, message: string, remedy: string): void => {
    findings.push({ severity: 'warning', code, place: `topic "${topic}"`, message, remedy, repaired: false })
  }
  const configure = (name: string, wanted: string): string =>
    `Set it with: ${configureCommand(topic, [{ name, wanted }])}`
  if (replicas < safeReplicas) {
    warn(
      'low_replication',
      `The topic has ${replicas === 1 ? 'one replica' : `${replicas} replicas`}; ${safeReplicas} survive the loss of a broker while another is down.`,
      'Add replicas with kafka-reassign-partitions.sh, and set default.replication.factor=3 at the brokers.',
    )
  }
  const minIsr = Number(settings?.get('min.insync.replicas') ?? Number.NaN)
  if (replicas > 1 && minIsr < 2) {
    const message = 'min.insync.replicas is 1: a commit may be on one broker only, and is lost with it.'
    warn('low_min_isr', message, configure('min.insync.replicas', '2'))
  } else if (replicas > 1 && minIsr >= replicas) {
    const message = `min.insync.replicas is ${minIsr} of ${replicas} replicas: nothing can be written while a broker is down.`
    warn('high_min_isr', message, replicas > 2 ? configure('min.insync.replicas', `${replicas - 1}`) : 'Add a replica.')
  }
  if (settings?.get('unclean.leader.election.enable') === 'true') {
    const message = 'unclean.leader.election.enable is true: a broker that misses committed records may become leader.'
    warn('unclean_election', message, configure('unclean.leader.election.enable', 'false'))
  }
  const maxBytes = Number(settings?.get('max.message.bytes') ?? Number.NaN)
  if (maxBytes < fullBatchBytes) {
    const message = `max.message.bytes is ${maxBytes}: batches are smaller than the best size, ${fullBatchBytes} bytes.`
    warn('small_batches', message, configure('max.message.bytes', '1048588'))
  }
  return findings
}

const safeReplicas = 3
