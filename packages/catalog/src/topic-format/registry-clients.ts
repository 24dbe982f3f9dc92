import { parseRegistryUrl } from '../schema-registry/registry-address.ts'
import { createSchemaRegistryClient, type SchemaRegistryClient } from '../schema-registry/registry-client.ts'
import type { RegistryRequestOptions } from '../schema-registry/registry-request.ts'

export interface RegistryClientsOptions extends RegistryRequestOptions {
  /** Their URLs with user and password. Others are asked without credentials. */
  readonly schemaRegistries?: readonly string[]
}

/**
 * One client for each schema registry, by its URL without credentials. An adoption names that URL only.
 *
 * @throws {UserError} `invalid_schema_registry_url`
 */
export function createRegistryClients({
  schemaRegistries = [],
  ...options
}: RegistryClientsOptions = {}): (url: string) => SchemaRegistryClient {
  const withCredentials = new Map(schemaRegistries.map((url) => [parseRegistryUrl(url).url, url]))
  const clients = new Map<string, SchemaRegistryClient>()
  return (url) => {
    const known = clients.get(url)
    if (known) return known
    const client = createSchemaRegistryClient({ url: withCredentials.get(url) ?? url, ...options })
    clients.set(url, client)
    return client
  }
}
