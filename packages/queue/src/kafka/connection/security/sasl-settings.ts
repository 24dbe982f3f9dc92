import type { UserError } from '../../../errors.ts'
import type { Logger } from '../../../logger.ts'
import type { ClientSettings } from './client-settings.ts'
import { type JaasConfig, parseJaasConfig } from './jaas-config.ts'
import { oauthBearerKeys, readOAuthBearer } from './oauthbearer/oauthbearer-settings.ts'
import { type PasswordCredentials, type SaslCredentials, saslMechanisms } from './security.ts'

const passwordKeys = ['sasl.mechanism', 'sasl.jaas.config']

export const saslKeys: readonly string[] = [...passwordKeys, ...oauthBearerKeys]

/** Keys of another mechanism are refused. */
export async function readSasl(settings: ClientSettings, log: Logger): Promise<SaslCredentials> {
  const mechanism = readMechanism(settings)
  if (mechanism === 'OAUTHBEARER') return readOAuthBearer(settings, readJaasConfig(settings), log)
  const other = settings.keysStartingWith('').find((key) => oauthBearerKeys.includes(key))
  if (other !== undefined) throw settings.invalid(other, `is not used by ${mechanism}. Remove it, or set OAUTHBEARER.`)
  return { mechanism, ...readPassword(settings) }
}

function readMechanism(settings: ClientSettings): SaslCredentials['mechanism'] {
  const key = 'sasl.mechanism'
  const found = settings.get(key)
  const mechanism = saslMechanisms.find((name) => name === found?.trim())
  if (mechanism) return mechanism
  const problem = found === undefined ? "is missing, and Kafka's default GSSAPI is not supported" : `is "${found}"`
  const instead = found === 'AWS_MSK_IAM' ? ' MSK accepts the tokens of its signers with OAUTHBEARER.' : ''
  throw settings.invalid(key, `${problem}. Set one of ${saslMechanisms.join(', ')}.${instead}`)
}

function readPassword(settings: ClientSettings): Pick<PasswordCredentials, 'username' | 'password'> {
  const config = readJaasConfig(settings)
  if (config === undefined) throw invalid('is missing')
  const { loginModule, options } = config
  if (!loginModules.includes(loginModule))
    throw invalid(`names the login module "${loginModule}", which is not supported`)
  if (options.get('tokenauth') === 'true')
    throw invalid('asks for a delegation token (tokenauth), which is not supported')
  return { username: option('username'), password: option('password') }

  function option(name: string): string {
    const value = options.get(name)
    if (!value) throw invalid(`has no ${name}`)
    return value
  }

  function invalid(problem: string): UserError {
    return settings.invalid(jaasKey, `${problem}. ${form}`)
  }
}

const jaasKey = 'sasl.jaas.config'

function readJaasConfig(settings: ClientSettings): JaasConfig | undefined {
  const text = settings.get(jaasKey)
  if (text === undefined) return undefined
  try {
    return parseJaasConfig(text)
  } catch (cause) {
    throw settings.invalid(jaasKey, `cannot be read: ${(cause as Error).message}. ${form}`, { cause })
  }
}

/** As in Java, each works with every mechanism of passwords. */
const loginModules = [
  'org.apache.kafka.common.security.scram.ScramLoginModule',
  'org.apache.kafka.common.security.plain.PlainLoginModule',
]

const form =
  `Write it as: ${loginModules[0]} required username="NAME" password="PASSWORD"; ` +
  '(PlainLoginModule of ….security.plain for PLAIN; in quotes a backslash goes before a quote or a backslash, ' +
  'and in this file each backslash is written twice).'
