import { type BrokerError, brokerErrorCodes } from '../broker-error.ts'

/** What a broker was asked, and about what. With the error code of its refusal that tells which permission is missing. */
export interface Asked {
  readonly request: KafkaRequest
  readonly topic?: string
  readonly transactionalId?: string
}

/** Says which permission is missing, in Kafka's terms, and how it is granted. `what` is what was refused. */
export function explainDenial(error: BrokerError, what: string, principal?: string): string {
  const permission = missingPermission(error)
  if (!permission) return `Kafka does not permit ${what}: ${error.message}. Grant the permission.`
  const missing = `${describePermission(permission)} is missing${principal === undefined ? '' : ` for ${principal}`}`
  return `Kafka does not permit ${what}: ${missing}. Grant it with: ${grantCommand(permission, principal)}`
}

export interface Permission {
  readonly operation: string
  readonly resource: Resource
  /** Of the topic or the transactional id. */
  readonly name: string | undefined
}

/** The requests that a broker may refuse, by Kafka's names. */
type KafkaRequest =
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

export type Resource = 'topic' | 'transactional-id' | 'cluster'

/** The operation that each request needs on each kind of resource, as the broker checks them. */
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

/** `undefined` where the request is refused for another reason. */
function missingPermission({ brokerCode, asked }: BrokerError): Permission | undefined {
  const resource = resources.get(brokerCode)
  if (!asked || !resource) return undefined
  const operation = operations[asked.request][resource]
  if (operation === undefined) return undefined
  const name = { topic: asked.topic, 'transactional-id': asked.transactionalId, cluster: undefined }[resource]
  return { operation, resource, name }
}

const resources: ReadonlyMap<number, Resource> = new Map([
  [brokerErrorCodes.TOPIC_AUTHORIZATION_FAILED, 'topic'],
  [brokerErrorCodes.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, 'transactional-id'],
  [brokerErrorCodes.CLUSTER_AUTHORIZATION_FAILED, 'cluster'],
])

/** `WRITE on topic "x"`, and what includes a permission that is seldom granted by itself. */
function describePermission({ operation, resource, name }: Permission): string {
  const including = includedIn[`${operation} on ${resource}`]
  const what = `${operation} on ${resource}${name === undefined ? '' : ` "${name}"`}`
  return including === undefined ? what : `${what} (which ${including} includes)`
}

const includedIn: Readonly<Record<string, string>> = {
  'DESCRIBE on topic': 'READ or WRITE',
  'DESCRIBE on transactional-id': 'WRITE',
  'IDEMPOTENT_WRITE on cluster': 'WRITE on any topic',
}

/** The command that grants a permission. The principal is left to the reader where it is not known. */
/** The command that grants a permission. */
export function grantCommand({ operation, resource, name }: Permission, principal = 'User:NAME'): string {
  const words = operation.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase())
  return [
    'kafka-acls.sh --bootstrap-server HOST:PORT --add',
    `--allow-principal ${shellWord(principal)} --operation ${words.join('')}`,
    name === undefined ? `--${resource}` : `--${resource} ${shellWord(name)}`,
  ].join(' ')
}

function shellWord(text: string): string {
  return /^[\w:.@=,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
