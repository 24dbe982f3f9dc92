import { UserError } from '../../../errors.ts'
import { checkAnswer } from '../../connection/broker-error.ts'
import type { Cluster } from '../../connection/cluster.ts'
import { addPartitionsToTxnRequest, apiVersionsRequest, describeConfigsRequest } from '../../connection/requests.ts'
import { beforeKip890 } from './before-kip-890.ts'
import { kip890 } from './kip-890.ts'
import type { TransactionProtocol } from './transaction-protocol.ts'

/**
 * Asks the brokers how they do transactions: the finalized feature `transaction.version` says so (KIP-584, KIP-890).
 *
 * Refused is where a transaction can hang for ever, because a batch that comes late may join it after its end: brokers
 * before 3.6, and newer ones that do not verify partitions (KIP-890, part 1).
 *
 * @throws {UserError} `unsupported_broker`.
 */
export async function chooseProtocol(cluster: Cluster): Promise<TransactionProtocol> {
  const answer = await cluster.onAny('asking what the brokers speak', async (connection) => {
    const answer = await connection.request(apiVersionsRequest, 'headrace', '1')
    checkAnswer(answer.errorCode, 'versions of the broker')
    return answer
  })
  const addPartitions = answer.apiKeys.find(({ apiKey }) => apiKey === addPartitionsToTxnRequest.key)
  if (!addPartitions || addPartitions.maxVersion < verifyingVersion) {
    throw new UserError('unsupported_broker', 'These brokers are older than Kafka 3.6, the oldest that can be used.')
  }
  await checkVerification(cluster)
  const level = answer.finalizedFeatures?.find(({ name }) => name === 'transaction.version')?.maxVersionLevel ?? 0
  return level >= 2 ? kip890 : beforeKip890
}

/** Of AddPartitionsToTxn: brokers verify partitions with it. They show it since 3.6. */
const verifyingVersion = 4

async function checkVerification(cluster: Cluster): Promise<void> {
  const value = await describeBrokerSetting(cluster, verification).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    cluster.log.warn({ err: error }, `whether the brokers have ${verification}=true could not be checked`)
  })
  if (value !== 'false') return
  throw new UserError(
    'unsupported_broker',
    `These brokers have ${verification}=false, under which transactions can hang and hold readers back for ever. ` +
      'Set it to true, its default.',
  )
}

/** Whether brokers check that a batch belongs to a transaction that is open (KIP-890, part 1). */
export const verification: string = 'transaction.partition.verification.enable'

/** Settings of a broker are told by that broker alone. */
async function describeBrokerSetting(cluster: Cluster, name: string): Promise<string | null | undefined> {
  let tries = 0
  return cluster.onAny('describing the settings of a broker', async () => {
    await cluster.metadata.fetch([])
    const nodes = cluster.metadata.nodes()
    const node = nodes[tries++ % nodes.length]!
    const connection = await cluster.connections.to(cluster.metadata.address(node))
    const resource = { resourceType: brokerResource, resourceName: `${node}`, configurationKeys: [name] }
    const { results } = await connection.request(describeConfigsRequest, [resource], false, false)
    for (const { errorCode, errorMessage } of results) {
      checkAnswer(errorCode, `settings of broker ${node}`, { request: 'DescribeConfigs' }, errorMessage)
    }
    return results.flatMap(({ configs }) => configs).find((config) => config.name === name)?.value
  })
}

const brokerResource = 4 as const
