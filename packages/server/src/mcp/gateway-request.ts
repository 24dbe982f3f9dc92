/** GET of a path of the public HTTP API, with the rights and limits of the caller. Rejects if there is no answer. */
export type GatewayRequest = (path: string, query: Readonly<Record<string, string>>) => Promise<GatewayAnswer>

export interface GatewayAnswer {
  readonly status: number
  /** Parsed JSON. `undefined`: the body is not JSON. */
  readonly body: unknown
}

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
