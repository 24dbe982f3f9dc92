import type { ClientSettings } from './client-settings.ts'
import { parseJaasConfig } from './jaas-config.ts'
import type { SaslCredentials, SaslMechanism } from './security.ts'

export const saslKeys: readonly string[] = ['sasl.mechanism', 'sasl.jaas.config']

/** @throws {UserError} `invalid_kafka_config`. */
export function readSasl(settings: ClientSettings): SaslCredentials {
  return { mechanism: readMechanism(settings), ...readCredentials(settings) }
}

function readMechanism(settings: ClientSettings): SaslMechanism {
  const key = 'sasl.mechanism'
  const found = settings.get(key)
  const mechanism = mechanisms.find((name) => name === found?.trim())
  if (mechanism) return mechanism
  const problem = found === undefined ? "is missing, and Kafka's default GSSAPI is not supported" : `is "${found}"`
  throw settings.invalid(key, `${problem}. Set one of ${mechanisms.join(', ')}.`)
}

const mechanisms: readonly SaslMechanism[] = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']

function readCredentials(settings: ClientSettings): { username: string; password: string } {
  const key = 'sasl.jaas.config'
  const text = settings.get(key)
  if (text === undefined) throw settings.invalid(key, `is missing. ${form}`)
  const { loginModule, options } = parsed(settings, key, text)
  if (!loginModules.includes(loginModule)) {
    throw settings.invalid(key, `names the login module "${loginModule}", which is not supported. ${form}`)
  }
  if (options.get('tokenauth') === 'true') {
    throw settings.invalid(key, `asks for a delegation token (tokenauth), which is not supported. ${form}`)
  }
  return { username: option('username'), password: option('password') }

  function option(name: string): string {
    const value = options.get(name)
    if (!value) throw settings.invalid(key, `has no ${name}. ${form}`)
    return value
  }
}

function parsed(settings: ClientSettings, key: string, text: string): ReturnType<typeof parseJaasConfig> {
  try {
    return parseJaasConfig(text)
  } catch (cause) {
    throw settings.invalid(key, `cannot be read: ${(cause as Error).message}. ${form}`, { cause })
  }
}

/** Either goes with each mechanism: to a client they are the same, as in Java. */
const loginModules = [
  'org.apache.kafka.common.security.scram.ScramLoginModule',
  'org.apache.kafka.common.security.plain.PlainLoginModule',
]

const form =
  `Write it as: ${loginModules[0]} required username="NAME" password="PASSWORD"; ` +
  '(PlainLoginModule of ….security.plain for PLAIN; in quotes a backslash goes before a quote or a backslash, ' +
  'and in this file each backslash is written twice).'
