export const brokerErrorCodes = {
  NONE: 0,
  OFFSET_OUT_OF_RANGE: 1,
  CORRUPT_MESSAGE: 2,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  NOT_LEADER_OR_FOLLOWER: 6,
  REQUEST_TIMED_OUT: 7,
  BROKER_NOT_AVAILABLE: 8,
  REPLICA_NOT_AVAILABLE: 9,
  MESSAGE_TOO_LARGE: 10,
  NETWORK_EXCEPTION: 13,
  COORDINATOR_LOAD_IN_PROGRESS: 14,
  COORDINATOR_NOT_AVAILABLE: 15,
  NOT_COORDINATOR: 16,
  INVALID_TOPIC_EXCEPTION: 17,
  NOT_ENOUGH_REPLICAS: 19,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 20,
  TOPIC_AUTHORIZATION_FAILED: 29,
  GROUP_AUTHORIZATION_FAILED: 30,
  CLUSTER_AUTHORIZATION_FAILED: 31,
  TOPIC_ALREADY_EXISTS: 36,
  INVALID_REPLICATION_FACTOR: 38,
  POLICY_VIOLATION: 44,
  OUT_OF_ORDER_SEQUENCE_NUMBER: 45,
  DUPLICATE_SEQUENCE_NUMBER: 46,
  INVALID_PRODUCER_EPOCH: 47,
  INVALID_TXN_STATE: 48,
  INVALID_PRODUCER_ID_MAPPING: 49,
  INVALID_TRANSACTION_TIMEOUT: 50,
  CONCURRENT_TRANSACTIONS: 51,
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 53,
  KAFKA_STORAGE_ERROR: 56,
  UNKNOWN_PRODUCER_ID: 59,
  FENCED_LEADER_EPOCH: 74,
  UNKNOWN_LEADER_EPOCH: 75,
  OFFSET_NOT_AVAILABLE: 78,
  THROTTLING_QUOTA_EXCEEDED: 89,
  PRODUCER_FENCED: 90,
  UNKNOWN_TOPIC_ID: 100,
  INCONSISTENT_TOPIC_ID: 103,
} as const

const namesByCode = new Map<number, string>(Object.entries(brokerErrorCodes).map(([name, code]) => [code, name]))

export type Resource = 'topic' | 'transactional-id' | 'cluster'

export type KafkaRequest =
  | 'AddPartitionsToTxn'
  | 'CreateTopics'
  | 'DeleteRecords'
  | 'DescribeConfigs'
  | 'EndTxn'
  | 'Fetch'
  | 'FindCoordinator'
  | 'InitProducerId'
  | 'ListOffsets'
  | 'Metadata'
  | 'Produce'

/** The operation that each request needs on each kind of resource, as the broker checks it. */
export const operations: Readonly<Record<KafkaRequest, Partial<Record<Resource, string>>>> = {
  AddPartitionsToTxn: { topic: 'WRITE', 'transactional-id': 'WRITE' },
  CreateTopics: { topic: 'CREATE', cluster: 'CREATE' },
  DeleteRecords: { topic: 'DELETE' },
  DescribeConfigs: { topic: 'DESCRIBE_CONFIGS', cluster: 'DESCRIBE_CONFIGS' },
  EndTxn: { 'transactional-id': 'WRITE' },
  Fetch: { topic: 'READ' },
  FindCoordinator: { 'transactional-id': 'DESCRIBE' },
  InitProducerId: { 'transactional-id': 'WRITE', cluster: 'IDEMPOTENT_WRITE' },
  ListOffsets: { topic: 'DESCRIBE' },
  Metadata: { topic: 'DESCRIBE' },
  Produce: { topic: 'WRITE', 'transactional-id': 'WRITE', cluster: 'IDEMPOTENT_WRITE' },
}

/** Identifies the missing permission. */
export interface RequestContext {
  readonly request: KafkaRequest
  readonly topic?: string
  readonly transactionalId?: string
}

export class BrokerError extends Error {
  override readonly name = 'BrokerError'
  readonly brokerCode: number
  readonly context: RequestContext | undefined

  constructor(brokerCode: number, what: string, context?: RequestContext, detail?: string | null) {
    const name = namesByCode.get(brokerCode) ?? 'error'
    super(`${what}: ${name} (${brokerCode})${detail ? `, ${detail}` : ''}`)
    this.brokerCode = brokerCode
    this.context = context
  }
}

export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** A quota is exceeded (KIP-219). */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError'
  readonly throttleMs: number

  constructor(throttleMs: number) {
    super(`the broker throttles this client for ${throttleMs} ms, as a quota like consumer_byte_rate demands`)
    this.throttleMs = throttleMs
  }
}

export function checkAnswer(brokerCode: number, what: string, context?: RequestContext, detail?: string | null): void {
  if (brokerCode !== brokerErrorCodes.NONE) throw new BrokerError(brokerCode, what, context, detail)
}

export function hasBrokerCode(error: unknown, ...codes: readonly number[]): error is BrokerError {
  return error instanceof BrokerError && codes.includes(error.brokerCode)
}

export function isTransient(error: unknown): boolean {
  return error instanceof NoAnswerError || error instanceof ThrottledError || hasBrokerCode(error, ...transientCodes)
}

const transientCodes = [
  brokerErrorCodes.CORRUPT_MESSAGE,
  brokerErrorCodes.UNKNOWN_TOPIC_OR_PARTITION,
  brokerErrorCodes.LEADER_NOT_AVAILABLE,
  brokerErrorCodes.NOT_LEADER_OR_FOLLOWER,
  brokerErrorCodes.REQUEST_TIMED_OUT,
  brokerErrorCodes.BROKER_NOT_AVAILABLE,
  brokerErrorCodes.REPLICA_NOT_AVAILABLE,
  brokerErrorCodes.NETWORK_EXCEPTION,
  brokerErrorCodes.COORDINATOR_LOAD_IN_PROGRESS,
  brokerErrorCodes.COORDINATOR_NOT_AVAILABLE,
  brokerErrorCodes.NOT_COORDINATOR,
  // Fewer brokers are up than the replication factor: others may still be starting.
  brokerErrorCodes.INVALID_REPLICATION_FACTOR,
  brokerErrorCodes.NOT_ENOUGH_REPLICAS,
  brokerErrorCodes.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
  brokerErrorCodes.CONCURRENT_TRANSACTIONS,
  brokerErrorCodes.KAFKA_STORAGE_ERROR,
  brokerErrorCodes.FENCED_LEADER_EPOCH,
  brokerErrorCodes.UNKNOWN_LEADER_EPOCH,
  brokerErrorCodes.OFFSET_NOT_AVAILABLE,
  brokerErrorCodes.THROTTLING_QUOTA_EXCEEDED,
  brokerErrorCodes.UNKNOWN_TOPIC_ID,
  brokerErrorCodes.INCONSISTENT_TOPIC_ID,
]

export function isPermissionError(error: unknown): error is BrokerError {
  return hasBrokerCode(
    error,
    brokerErrorCodes.TOPIC_AUTHORIZATION_FAILED,
    brokerErrorCodes.GROUP_AUTHORIZATION_FAILED,
    brokerErrorCodes.CLUSTER_AUTHORIZATION_FAILED,
    brokerErrorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
  )
}
