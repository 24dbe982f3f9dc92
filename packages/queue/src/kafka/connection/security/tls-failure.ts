import { UserError } from '../../../errors.ts'
import type { BrokerAddress } from '../../../queue-url.ts'

/**
 * Says of a failed TLS handshake what was found and what to set; `undefined` where the failure is another one, or a
 * connection that was merely lost.
 */
export function explainTlsFailure({ host, port }: BrokerAddress, causes: readonly Error[]): UserError | undefined {
  const error = causes.find((cause) => isTlsError(codeOf(cause)))
  if (!error) return undefined
  const remedy = remedies.find(({ codes }) => codes.test(codeOf(error)))?.remedy ?? otherRemedy
  return new UserError(
    'tls_failed',
    `TLS with broker ${host}:${port} failed: ${reasonOf(error, host)}. ${remedy.replace('HOST', host)}`,
    { cause: error },
  )
}

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? '')
}

/** Node.js gives OpenSSL's names for what is wrong with a certificate, and ERR_TLS and ERR_SSL codes for all else. */
function isTlsError(code: string): boolean {
  return /^ERR_(TLS|SSL)_/.test(code) || remedies.some(({ codes }) => codes.test(code))
}

const remedies: readonly { readonly codes: RegExp; readonly remedy: string }[] = [
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    remedy:
      'Use a name in the queue URL and in advertised.listeners that the certificate has, or have one made for "HOST". ' +
      'An empty ssl.endpoint.identification.algorithm takes a certificate of any name.',
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
    remedy: 'The broker wants another certificate of ours: set ssl.keystore.location to one that it trusts.',
  },
  {
    codes: /^ERR_SSL_.*(PROTOCOL|VERSION)/,
    remedy: 'Broker and client must have a version of TLS in common: see ssl.enabled.protocols (TLSv1.2, TLSv1.3).',
  },
]

const otherRemedy = 'Check that the port speaks TLS, and the certificates on both sides.'

function reasonOf(error: Error, host: string): string {
  const { cert } = error as Error & { cert?: { subjectaltname?: string } }
  if (cert) return `the certificate of the broker is for ${cert.subjectaltname ?? 'no name'} and not for ${host}`
  return error.message.trim().replace(/\.$/, '')
}
