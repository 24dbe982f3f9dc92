import { UserError } from '../../errors.ts'

/** How to reach and convince a broker, from a standard `client.properties`. */
export interface Security {
  readonly protocol: 'PLAINTEXT'
}

/**
 * Reads Kafka's client settings: `security.protocol`, `sasl.*` and `ssl.*`. Others concern no part of this engine.
 *
 * @throws {UserError} `invalid_kafka_config`: a security protocol that is not spoken here.
 */
export function parseClientProperties(text: string, file: string): Security {
  const protocol = parseProperties(text).get('security.protocol') ?? 'PLAINTEXT'
  if (protocol.toUpperCase() !== 'PLAINTEXT') {
    throw new UserError(
      'invalid_kafka_config',
      `${file} asks for security.protocol "${protocol}"; PLAINTEXT is the one there is.`,
    )
  }
  return { protocol: 'PLAINTEXT' }
}

/** Java's properties format, as far as client settings use it: one `key=value` or `key: value` a line. */
function parseProperties(text: string): Map<string, string> {
  const properties = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([^#!\s=:][^\s=:]*)\s*[=:]?\s*(.*?)\s*$/.exec(line)
    if (match) properties.set(match[1]!, match[2]!)
  }
  return properties
}
