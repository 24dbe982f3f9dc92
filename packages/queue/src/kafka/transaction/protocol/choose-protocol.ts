import { UserError } from '../../../errors.ts'
import { describeBrokerSetting } from '../../admin/describe-settings.ts'
import { checkAnswer } from '../../connection/broker-error.ts'
import type { Cluster } from '../../connection/cluster.ts'
import { addPartitionsToTxnV3, apiVersionsV3 } from '../../connection/requests.ts'
import { beforeKip890 } from './before-kip-890.ts'
import { kip890 } from './kip-890.ts'
import type { TransactionProtocol } from './transaction-protocol.ts'

/**
 * Chooses by the feature `transaction.version` (KIP-584). Refuses brokers on which a late batch can open a transaction
 * that nobody ends: before 3.6, and those that do not verify partitions (KIP-890, part 1).
 *
 * @throws {UserError} `unsupported_broker`.
 */
export async function chooseProtocol(cluster: Cluster): Promise<TransactionProtocol> {
  const answer = await cluster.onAny('asking for the versions of the brokers', async (connection) => {
    const answer = await connection.request(apiVersionsV3.api, 'headrace', '1')
    checkAnswer(answer.errorCode, 'versions of the broker')
    return answer
  })
  const addPartitions = answer.apiKeys.find(({ apiKey }) => apiKey === addPartitionsToTxnV3.api.key)
  if (!addPartitions || addPartitions.maxVersion < verifyingVersion) {
    throw new UserError(
      'unsupported_broker',
      'These brokers are older than Kafka 3.6, the oldest supported version. Upgrade them.',
    )
  }
  await checkVerification(cluster)
  const level = answer.finalizedFeatures?.find(({ name }) => name === 'transaction.version')?.maxVersionLevel ?? 0
  return level >= 2 ? kip890 : beforeKip890
}

/** With this version of AddPartitionsToTxn brokers verify partitions, since 3.6. */
const verifyingVersion = 4

async function checkVerification(cluster: Cluster): Promise<void> {
  const value = await describeBrokerSetting(cluster, verification).catch((error: unknown): undefined => {
    if (!(error instanceof UserError)) throw error
    cluster.log.warn({ err: error }, `whether the brokers have ${verification}=true could not be checked`)
  })
  if (value !== 'false') return
  throw new UserError(
    'unsupported_broker',
    `These brokers have ${verification}=false: a transaction may never end, and readers wait for it indefinitely. ` +
      'Set it to true, its default.',
  )
}

export const verification: string = 'transaction.partition.verification.enable'
