import type { RpcEndpoint } from './endpoint.ts'

/** Makes something for each endpoint once. */
export function perEndpoint<T>(create: (endpoint: RpcEndpoint) => T): (endpoint: RpcEndpoint) => T {
  const made = new Map<RpcEndpoint, T>()
  return (endpoint) => {
    const known = made.get(endpoint) ?? create(endpoint)
    made.set(endpoint, known)
    return known
  }
}
