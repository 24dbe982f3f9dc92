import { parseRegistryUrl } from '../schema-registry/registry-address.ts'
import { createSchemaRegistryClient, type SchemaRegistryClient } from '../schema-registry/registry-client.ts'
import type { RegistryRequestOptions } from '../schema-registry/registry-request.ts'

export interface RegistryClientsOptions extends RegistryRequestOptions {
  /** Their URLs with user and password. Others are asked without credentials. */
  readonly schemaRegistries?: readonly string[]
}

/**
 * One client for each schema registry. One that is named without credentials, as by an adoption, gets those that are known
 * for it.
 *
 * @throws {UserError} `invalid_schema_registry_url`
 */
export function createRegistryClients({
  schemaRegistries = [],
  ...options
}: RegistryClientsOptions = {}): (url: string) => SchemaRegistryClient {
  const withCredentials = new Map(schemaRegistries.map((url) => [parseRegistryUrl(url).url, url]))
  const clients = new Map<string, SchemaRegistryClient>()
  return (text) => {
    const { url, authorization } = parseRegistryUrl(text)
    const known = clients.get(url)
    if (known) return known
    const address = authorization === undefined ? (withCredentials.get(url) ?? text) : text
    const client = createSchemaRegistryClient({ url: address, ...options })
    clients.set(url, client)
    return client
  }
}
