import { AuthenticationError, ResponseError, TimeoutError } from '@platformatic/kafka'
import { errorReason } from '../../../error-reason.ts'
import { UserError } from '../../../errors.ts'
import { type BrokerAddress, formatBroker } from '../../../queue-url.ts'
import { NoAnswerError } from '../broker-error.ts'
import { illegalSaslState, inspectListener, type Listener, responseOf } from './listener.ts'
import type { SaslCredentials, Security } from './security.ts'

export interface ConnectFailure {
  readonly address: BrokerAddress
  readonly security: Security
  readonly cause: unknown
  readonly timeoutMs: number
}

/** Wrong credentials, certificates or `security.protocol` are a `UserError`. Anything else may be transient. */
export async function explainConnectFailure(failure: ConnectFailure): Promise<UserError | NoAnswerError> {
  const { address, security, cause, timeoutMs } = failure
  const broker = formatBroker(address)
  const causes = causesOf(cause)
  const ofToken = causes.find((error) => error instanceof UserError || error instanceof NoAnswerError)
  if (ofToken) return ofToken
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

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? '')
}

function isUnreachable(error: Error): boolean {
  return error instanceof TimeoutError || unreachableCodes.includes(codeOf(error))
}

const unreachableCodes = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT']

function reasonOf([first, second]: readonly Error[]): string {
  return second ? errorReason(second) : (first?.message ?? 'for an unknown reason')
}

function explainRefusedCredentials(
  broker: string,
  sasl: SaslCredentials,
  causes: readonly Error[],
): UserError | undefined {
  const answer = causes.find((error) => error instanceof ResponseError)
  const last = causes.at(-1)
  // The library also throws an AuthenticationError, with another cause, when the connection was lost.
  if (!answer && !(last instanceof AuthenticationError)) return undefined
  const refusal: SaslRefusal = answer ? responseOf(answer) : { errorMessage: last!.message }
  const { errorCode, errorMessage, mechanisms = [] } = refusal
  if (errorCode === illegalSaslState) return undefined
  const { mechanism } = sasl
  const reason = errorMessage ? `: ${errorMessage.replace(/\.$/, '')}` : ''
  const message =
    errorCode === unsupportedSaslMechanism
      ? `Broker ${broker} does not support sasl.mechanism ${mechanism}. Set one of ${mechanisms.join(', ')}.`
      : `Broker ${broker} does not accept ${nameOf(sasl)} with ${mechanism}${reason}. ` +
        'Check username and password in sasl.jaas.config, and that the user exists for this mechanism.'
  return new UserError('authentication_failed', message, { cause: causes[0] })
}

function nameOf(sasl: SaslCredentials): string {
  return sasl.mechanism === 'OAUTHBEARER' ? 'the token' : `user "${sasl.username}"`
}

interface SaslRefusal {
  readonly errorCode?: number
  readonly errorMessage?: string | null
  readonly mechanisms?: readonly string[]
}

const unsupportedSaslMechanism = 33

function wrongProtocol(broker: string, { protocol }: Security, listener: Listener): UserError {
  const mechanisms = listener.mechanisms.length > 0 ? ` (${listener.mechanisms.join(', ')})` : ''
  return new UserError(
    'wrong_security_protocol',
    `Broker ${broker} speaks ${listener.protocol}${mechanisms}, and security.protocol is ${protocol}. ` +
      `Set security.protocol=${listener.protocol} in the client.properties file, or use another port.`,
    { remedy: { kind: 'set_kafka_config' } },
  )
}

function explainTlsFailure({ host, port }: BrokerAddress, causes: readonly Error[]): UserError | undefined {
  const error = causes.find((cause) => isTlsError(codeOf(cause)))
  if (!error) return undefined
  const remedy = tlsRemedies.find(({ codes }) => codes.test(codeOf(error)))?.remedy ?? otherTlsRemedy
  return new UserError(
    'tls_failed',
    `TLS with broker ${host}:${port} failed: ${tlsReason(error, host)}. ${remedy.replace('HOST', host)}`,
    { cause: error },
  )
}

/** Problems of a certificate have OpenSSL's names, all others ERR_TLS and ERR_SSL codes. */
function isTlsError(code: string): boolean {
  return /^ERR_(TLS|SSL)_/.test(code) || tlsRemedies.some(({ codes }) => codes.test(code))
}

const tlsRemedies: readonly { readonly codes: RegExp; readonly remedy: string }[] = [
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    remedy:
      'Use a name in the queue URL and in advertised.listeners that is in the certificate, or get a certificate for ' +
      '"HOST". An empty ssl.endpoint.identification.algorithm accepts a certificate of any name.',
  },
  {
    codes:
      /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|^CERT_(SIGNATURE_FAILURE|UNTRUSTED|REJECTED)$|^INVALID_CA$/,
    remedy: 'Set ssl.truststore.location to a PEM file with the certificate of the authority that signed it.',
  },
  { codes: /^CERT_HAS_EXPIRED$/, remedy: 'The broker needs a new certificate.' },
  { codes: /^CERT_NOT_YET_VALID$/, remedy: 'Check the clocks of this machine and of the one that made it.' },
  {
    codes: /^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)|^ERR_SSL_.*HANDSHAKE_FAILURE$/,
    remedy: 'The broker asks for a client certificate: set ssl.keystore.location to one that it trusts.',
  },
  {
    codes: /^ERR_SSL_.*(PROTOCOL|VERSION)/,
    remedy: 'Broker and client must support a common version of TLS: set ssl.enabled.protocols (TLSv1.2, TLSv1.3).',
  },
]

const otherTlsRemedy = 'Check that the port speaks TLS, and the certificates on both sides.'

function tlsReason(error: Error, host: string): string {
  const { cert } = error as Error & { cert?: { subjectaltname?: string } }
  if (cert) return `the certificate of the broker is for ${cert.subjectaltname ?? 'no name'} and not for ${host}`
  return error.message.trim().replace(/\.$/, '')
}
