import { AuthenticationError, ResponseError, TimeoutError } from '@platformatic/kafka'
import { errorReason } from '../../../error-reason.ts'
import { UserError } from '../../../errors.ts'
import { type BrokerAddress, formatBroker } from '../../../queue-url.ts'
import { NoAnswerError } from '../broker-error.ts'
import { illegalSaslState, inspectListener, responseOf } from './listener.ts'
import type { SaslCredentials, Security } from './security.ts'
import { explainTlsFailure } from './tls-failure.ts'

export interface ConnectFailure {
  readonly address: BrokerAddress
  readonly security: Security
  /** Why there is no connection, or why it was lost before the broker had answered anything. */
  readonly cause: unknown
  /** How long to wait for the broker when it is asked what it speaks. */
  readonly timeoutMs: number
}

/**
 * Tells what somebody must mend from what may be over in a moment: credentials, certificates and the wrong
 * `security.protocol` are a `UserError`, all else is a `NoAnswerError`.
 */
export async function explainConnectFailure(failure: ConnectFailure): Promise<UserError | NoAnswerError> {
  const { address, security, cause, timeoutMs } = failure
  const broker = formatBroker(address)
  const causes = causesOf(cause)
  const refused = security.sasl && explainRefusedCredentials(broker, security.sasl, causes)
  if (refused) return refused
  if (!causes.some(isUnreachable)) {
    const listener = await inspectListener(address.host, address.port, timeoutMs)
    if (listener && listener.protocol !== security.protocol) return wrongProtocol(broker, security, listener)
  }
  return (
    explainTlsFailure(address, causes) ??
    new NoAnswerError(`broker ${broker} cannot be reached: ${reasonOf(causes)}`, { cause })
  )
}

/** An error, its cause, and so on. */
function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

function isUnreachable(error: Error): boolean {
  return error instanceof TimeoutError || unreachableCodes.includes((error as NodeJS.ErrnoException).code ?? '')
}

const unreachableCodes = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']

function explainRefusedCredentials(
  broker: string,
  { mechanism, username }: SaslCredentials,
  causes: readonly Error[],
): UserError | undefined {
  const options = { cause: causes[0] }
  const answer = causes.find((error) => error instanceof ResponseError)
  if (answer) {
    const { errorCode, errorMessage, mechanisms = [] } = responseOf(answer) as RefusingAnswer
    if (errorCode === illegalSaslState) return undefined
    if (errorCode === unsupportedSaslMechanism) {
      const message = `Broker ${broker} does not take sasl.mechanism ${mechanism}. Set one of ${mechanisms.join(', ')}.`
      return new UserError('authentication_failed', message, options)
    }
    return new UserError('authentication_failed', notAccepted(errorMessage), options)
  }
  // Only the last one is the reason: the library also calls it so when the connection was lost on the way.
  const last = causes.at(-1)
  if (!(last instanceof AuthenticationError)) return undefined
  return new UserError('authentication_failed', notAccepted(last.message), options)

  function notAccepted(reason: string | null | undefined): string {
    return (
      `Broker ${broker} does not accept user "${username}" with ${mechanism}${reason ? `: ${reason.replace(/\.$/, '')}` : ''}. ` +
      'Check username and password in sasl.jaas.config, and that the user exists for this mechanism.'
    )
  }
}

interface RefusingAnswer {
  readonly errorCode: number
  readonly errorMessage?: string | null
  readonly mechanisms?: readonly string[]
}

const unsupportedSaslMechanism = 33

function wrongProtocol(
  broker: string,
  { protocol }: Security,
  listener: { readonly protocol: string; readonly mechanisms: readonly string[] },
): UserError {
  const mechanisms = listener.mechanisms.length > 0 ? ` (${listener.mechanisms.join(', ')})` : ''
  return new UserError(
    'wrong_security_protocol',
    `Broker ${broker} speaks ${listener.protocol}${mechanisms}, and security.protocol is ${protocol}. ` +
      `Set security.protocol=${listener.protocol} in the client.properties file, or use another port.`,
    { remedy: { kind: 'set_kafka_config' } },
  )
}

function reasonOf(causes: readonly Error[]): string {
  const [first, second] = causes
  return second ? errorReason(second) : (first?.message ?? 'for an unknown reason')
}
