import type { Finding } from '../../finding.ts'
import { fullBatchBytes } from '../transaction/batch-limits.ts'
import type { Settings } from './describe-settings.ts'
import { configureCommand } from './topic-settings.ts'

/** The settings that say how safe a topic's records are. */
export const durabilitySettings: readonly string[] = [
  'min.insync.replicas',
  'unclean.leader.election.enable',
  'max.message.bytes',
]

export interface TopicReplication {
  readonly topic: string
  /** Brokers that have a copy of each partition; the fewest of any partition. */
  readonly replicas: number
  /** `undefined` where they may not be seen. */
  readonly settings: Settings | undefined
}

/** What may cost a topic committed records, or the possibility to write to it, when a broker is lost. */
export function durabilityFindings({ topic, replicas, settings }: TopicReplication): Finding[] {
  const findings: Finding[] = []
  const warn = (code: string, message: string, remedy: string): void => {
    findings.push({ severity: 'warning', code, place: `topic "${topic}"`, message, remedy, repaired: false })
  }
  const configure = (name: string, value: string): string =>
    `Set it with: ${configureCommand(topic, { [name]: value })}`
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
    const message = `min.insync.replicas is ${minIsr} of ${replicas} replicas: no broker may be down, or nothing can be written.`
    warn('high_min_isr', message, replicas > 2 ? configure('min.insync.replicas', `${replicas - 1}`) : 'Add a replica.')
  }
  if (settings?.get('unclean.leader.election.enable') === 'true') {
    const message = 'unclean.leader.election.enable is true: a broker that misses committed records may become leader.'
    warn('unclean_election', message, configure('unclean.leader.election.enable', 'false'))
  }
  const maxBytes = Number(settings?.get('max.message.bytes') ?? Number.NaN)
  if (maxBytes < fullBatchBytes) {
    const message = `max.message.bytes is ${maxBytes}: batches are smaller than the ${fullBatchBytes} bytes they are best at.`
    warn('small_batches', message, configure('max.message.bytes', '1048588'))
  }
  return findings
}

const safeReplicas = 3
