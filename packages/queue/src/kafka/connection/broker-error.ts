/** Trying again may succeed. */
const transientErrors = {
  CORRUPT_MESSAGE: 2,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  LEADER_NOT_AVAILABLE: 5,
  NOT_LEADER_OR_FOLLOWER: 6,
  REQUEST_TIMED_OUT: 7,
  BROKER_NOT_AVAILABLE: 8,
  REPLICA_NOT_AVAILABLE: 9,
  NETWORK_EXCEPTION: 13,
  COORDINATOR_LOAD_IN_PROGRESS: 14,
  COORDINATOR_NOT_AVAILABLE: 15,
  NOT_COORDINATOR: 16,
  NOT_ENOUGH_REPLICAS: 19,
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: 20,
  // Fewer brokers are up than the replication factor: others may still be starting.
  INVALID_REPLICATION_FACTOR: 38,
  CONCURRENT_TRANSACTIONS: 51,
  KAFKA_STORAGE_ERROR: 56,
  FENCED_LEADER_EPOCH: 74,
  UNKNOWN_LEADER_EPOCH: 75,
  OFFSET_NOT_AVAILABLE: 78,
  THROTTLING_QUOTA_EXCEEDED: 89,
  UNKNOWN_TOPIC_ID: 100,
  INCONSISTENT_TOPIC_ID: 103,
} as const

const otherErrors = {
  NONE: 0,
  OFFSET_OUT_OF_RANGE: 1,
  MESSAGE_TOO_LARGE: 10,
  INVALID_TOPIC_EXCEPTION: 17,
  TOPIC_AUTHORIZATION_FAILED: 29,
  CLUSTER_AUTHORIZATION_FAILED: 31,
  TOPIC_ALREADY_EXISTS: 36,
  POLICY_VIOLATION: 44,
  OUT_OF_ORDER_SEQUENCE_NUMBER: 45,
  DUPLICATE_SEQUENCE_NUMBER: 46,
  INVALID_PRODUCER_EPOCH: 47,
  INVALID_TXN_STATE: 48,
  INVALID_PRODUCER_ID_MAPPING: 49,
  INVALID_TRANSACTION_TIMEOUT: 50,
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 53,
  UNKNOWN_PRODUCER_ID: 59,
  PRODUCER_FENCED: 90,
} as const

export const brokerErrorCodes: typeof transientErrors & typeof otherErrors = { ...transientErrors, ...otherErrors }

const namesByCode = new Map<number, string>(Object.entries(brokerErrorCodes).map(([name, code]) => [code, name]))
const transientCodes = Object.values(transientErrors)

export type Resource = 'topic' | 'transactional-id' | 'cluster'

/** By error code: the resource on which a permission is missing. */
export const deniedResources: ReadonlyMap<number, Resource> = new Map([
  [brokerErrorCodes.TOPIC_AUTHORIZATION_FAILED, 'topic'],
  [brokerErrorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, 'transactional-id'],
  [brokerErrorCodes.CLUSTER_AUTHORIZATION_FAILED, 'cluster'],
])

/** The operation that each request needs on each kind of resource, as the broker checks it. */
export const operations = {
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
} as const

/** Identifies the missing permission. */
export interface RequestContext {
  readonly request: keyof typeof operations
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

export function isPermissionError(error: unknown): error is BrokerError {
  return error instanceof BrokerError && deniedResources.has(error.brokerCode)
}
