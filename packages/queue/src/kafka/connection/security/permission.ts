import { UserError } from '../../../errors.ts'
import { type BrokerError, deniedResources, operations, type Resource } from '../broker-error.ts'

export function explainDenial(error: BrokerError, what: string, principal?: string): string {
  const permission = missingPermission(error)
  if (!permission) return `Kafka does not permit ${what}: ${error.message}. Grant the permission.`
  const missing = `${describePermission(permission)} is missing${principal === undefined ? '' : ` for ${principal}`}`
  return `Kafka does not permit ${what}: ${missing}. Grant it with: ${grantCommand(permission, principal)}`
}

/** `undefined` without the permission. */
export function unlessDenied<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof UserError && error.code === 'permission_denied') return undefined
    throw error
  })
}

export interface Permission {
  readonly operation: string
  readonly resource: Resource
  readonly name: string | undefined
}

function missingPermission({ brokerCode, context }: BrokerError): Permission | undefined {
  const resource = deniedResources.get(brokerCode)
  if (!context || !resource) return undefined
  const needed: Partial<Record<Resource, string>> = operations[context.request]
  const operation = needed[resource]
  if (operation === undefined) return undefined
  const name = { topic: context.topic, 'transactional-id': context.transactionalId, cluster: undefined }[resource]
  return { operation, resource, name }
}

/** `WRITE on topic "x"`, and the usual permission that includes it. */
function describePermission({ operation, resource, name }: Permission): string {
  const including = includedIn[`${operation} on ${resource}`]
  const permission = `${operation} on ${resource}${name === undefined ? '' : ` "${name}"`}`
  return including === undefined ? permission : `${permission} (which ${including} includes)`
}

const includedIn: Readonly<Record<string, string>> = {
  'DESCRIBE on topic': 'READ or WRITE',
  'DESCRIBE on transactional-id': 'WRITE',
  'IDEMPOTENT_WRITE on cluster': 'WRITE on any topic',
}

export function grantCommand({ operation, resource, name }: Permission, principal = 'User:NAME'): string {
  const words = operation.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase())
  return [
    'kafka-acls.sh --bootstrap-server HOST:PORT --add',
    `--allow-principal ${quoteForShell(principal)} --operation ${words.join('')}`,
    name === undefined ? `--${resource}` : `--${resource} ${quoteForShell(name)}`,
  ].join(' ')
}

function quoteForShell(text: string): string {
  return /^[\w:.@=,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
