import type { Finding } from '../../finding.ts'
import type { Cluster } from '../connection/cluster.ts'
import { grantCommand } from '../connection/security/permission.ts'
import { describeBrokerSettings } from './describe-settings.ts'

/** Settings of each broker that transactions depend on. Those that cannot be seen are a finding. */
export async function* diagnoseBrokers(cluster: Cluster): AsyncGenerator<Finding> {
  await cluster.onAny('looking for brokers', () => cluster.metadata.fetch([]))
  for (const node of cluster.metadata.nodes()) {
    const place = `broker ${node}`
    const settings = await describeBrokerSettings(cluster, node, [maxTransactionTimeout])
    if (!settings) {
      yield hiddenSettings(place, cluster.principal)
      // Permitted at one, permitted at all.
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

/** The longest that brokers let a transaction be open. */
export const maxTransactionTimeout: string = 'transaction.max.timeout.ms'

function hiddenSettings(place: string, principal: string | undefined): Finding {
  return {
    severity: 'warning',
    code: 'permission_denied',
    place,
    message: 'The settings of brokers cannot be checked: DESCRIBE_CONFIGS on cluster is missing.',
    remedy: grantCommand({ operation: 'DESCRIBE_CONFIGS', resource: 'cluster', name: undefined }, principal),
    repaired: false,
  }
}
