import { type KafkaOptions, readClientOptions } from './connection/cluster.ts'
import type { Security } from './connection/security/security.ts'

/** How a client of these options connects and compresses, without secrets: `SASL_SSL with PLAIN as "me", …`. */
export async function describeClient(options: Omit<KafkaOptions, 'bootstrap'>): Promise<string> {
  const { security, settings } = await readClientOptions(options)
  return `${describeSecurity(security)}, compression ${settings.compression}`
}

function describeSecurity({ protocol, sasl }: Security): string {
  if (!sasl) return protocol
  const who = sasl.mechanism === 'OAUTHBEARER' ? `tokens from ${sasl.tokens.description}` : `user "${sasl.username}"`
  return `${protocol} with ${sasl.mechanism}, ${who}`
}
