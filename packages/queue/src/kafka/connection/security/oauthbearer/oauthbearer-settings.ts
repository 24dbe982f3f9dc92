import { fileURLToPath } from 'node:url'
import type { Logger } from '../../../../logger.ts'
import type { ClientSettings } from '../client-settings.ts'
import type { JaasConfig } from '../jaas-config.ts'
import type { OAuthBearerCredentials, TlsSettings } from '../security.ts'
import { readTls, tlsKeys } from '../tls-settings.ts'
import { tokenCommand } from './token-command.ts'
import { tokenEndpoint } from './token-endpoint.ts'
import { tokenFile } from './token-file.ts'
import { createTokenSource, type TokenOrigin } from './token-source.ts'

const keys = {
  command: 'headrace.sasl.oauthbearer.token.command',
  url: 'sasl.oauthbearer.token.endpoint.url',
  clientId: 'sasl.oauthbearer.client.credentials.client.id',
  clientSecret: 'sasl.oauthbearer.client.credentials.client.secret',
  scope: 'sasl.oauthbearer.scope',
  urlEncode: 'sasl.oauthbearer.header.urlencode',
  handler: 'sasl.login.callback.handler.class',
} as const

export const oauthBearerKeys: readonly string[] = Object.values(keys)

/** As in Java, a setting overrides the option of `sasl.jaas.config`, which older clients have for the same. */
export async function readOAuthBearer(
  settings: ClientSettings,
  config: JaasConfig | undefined,
  log: Logger,
): Promise<OAuthBearerCredentials> {
  const handler = settings.get(keys.handler)
  if (handler !== undefined && !handlers.includes(handler.trim()))
    throw settings.invalid(keys.handler, `names a class of Java, which is not supported. Set ${keys.command} instead.`)
  if (config) checkOptions(settings, config)
  const origin = await readOrigin(settings, config)
  return {
    mechanism: 'OAUTHBEARER',
    tokens: createTokenSource(origin, log),
    extensions: extensionsIn(settings, config),
  }
}

/** Of Kafka 4.0 and newer, and before. What they do is done here in any case. */
const handlers = [
  'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler',
  'org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler',
]

function checkOptions(settings: ClientSettings, { loginModule, options }: JaasConfig): void {
  if (loginModule !== oauthLoginModule)
    throw settings.invalid(
      jaasKey,
      `names the login module "${loginModule}". With OAUTHBEARER it is ${oauthLoginModule}.`,
    )
  const unknown = [...options.keys()].find(
    (name) => !jaasOptions.includes(name) && !name.startsWith(extensionPrefix) && !tlsKeys.includes(name),
  )
  if (unknown !== undefined) {
    const allowed = `${jaasOptions.join(', ')}, ${extensionPrefix}NAME and ssl.truststore.location`
    throw settings.invalid(jaasKey, `has the option ${unknown}, which is not supported. Supported: ${allowed}.`)
  }
}

const jaasKey = 'sasl.jaas.config'
const oauthLoginModule = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule'
const jaasOptions = ['clientId', 'clientSecret', 'scope']
const extensionPrefix = 'extension_'

async function readOrigin(settings: ClientSettings, config: JaasConfig | undefined): Promise<TokenOrigin> {
  const [command, address] = [settings.get(keys.command), settings.get(keys.url)]
  if (command !== undefined && address !== undefined)
    throw settings.invalid(keys.command, `is a second origin of tokens, next to ${keys.url}. Remove one of them.`)
  if (command !== undefined) {
    if (command.trim() === '') throw settings.invalid(keys.command, 'is empty. Set a command that prints a token.')
    return tokenCommand(command)
  }
  if (address === undefined) {
    const instead = `Set it to the URL of an OAuth issuer or of a file, or set ${keys.command}.`
    throw settings.invalid(keys.url, `is missing, and OAUTHBEARER needs an origin of tokens. ${instead}`)
  }
  const url = URL.canParse(address.trim()) ? new URL(address.trim()) : undefined
  if (url?.protocol === 'file:') return tokenFile(fileURLToPath(url))
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw settings.invalid(keys.url, 'is not a URL. Set one that begins with https://, http:// or file:///.')
  return tokenEndpoint({
    url,
    clientId: required(keys.clientId, 'clientId'),
    clientSecret: required(keys.clientSecret, 'clientSecret'),
    scope: settingOr(keys.scope, 'scope'),
    urlEncode: settings.get(keys.urlEncode)?.trim() === 'true',
    tls: url.protocol === 'https:' ? await tlsOf(settings, config) : undefined,
  })

  function settingOr(key: string, option: string): string | undefined {
    return settings.get(key)?.trim() || config?.options.get(option)
  }

  function required(key: string, option: string): string {
    const value = settingOr(key, option)
    if (value) return value
    throw settings.invalid(key, `is missing. Set it, or ${option}="…" in ${jaasKey}.`)
  }
}

/** TLS with the issuer has the options of the login module, as in Java: it is another server than the brokers. */
function tlsOf(settings: ClientSettings, config: JaasConfig | undefined): Promise<TlsSettings> {
  return readTls({
    get: (key) => config?.options.get(key),
    keysStartingWith: (prefix) => [...(config?.options.keys() ?? [])].filter((name) => name.startsWith(prefix)),
    invalid: (key, problem, options) => settings.invalid(jaasKey, `has an option ${key} that ${problem}`, options),
  })
}

function extensionsIn(settings: ClientSettings, config: JaasConfig | undefined): Record<string, string> {
  const extensions: Record<string, string> = {}
  for (const [option, value] of config?.options ?? []) {
    if (!option.startsWith(extensionPrefix)) continue
    const name = option.slice(extensionPrefix.length)
    if (!/^[A-Za-z]+$/.test(name) || name === 'auth' || !/^[\x20-\x7e\t\r\n]+$/.test(value)) {
      const allowed = 'A name consists of letters and is not "auth"; a value, of characters of ASCII.'
      throw settings.invalid(jaasKey, `has an ${option} that RFC 7628 does not allow. ${allowed}`)
    }
    extensions[name] = value
  }
  return extensions
}
