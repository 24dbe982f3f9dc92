import { type GatewayRequest, parseBody } from './gateway-request.ts'
import { ToolError } from './tool-error.ts'

export interface FetchGatewayOptions {
  /** E.g. `http://127.0.0.1:8080`. A path is kept. */
  readonly url: string
  readonly key: string | undefined
  readonly signal: AbortSignal
}

/** Ms. A page with a filter may take seconds. */
const answerMs = 60_000

export function createFetchRequest({ url, key, signal }: FetchGatewayOptions): GatewayRequest {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return async (path, query) => {
    const target = new URL(url)
    target.pathname = target.pathname.replace(/\/$/, '') + path
    target.search = `${new URLSearchParams(query)}`
    try {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
      const response = await fetch(target, { headers, signal: ends, redirect: 'error' })
      return { status: response.status, body: parseBody(await response.text()) }
    } catch (error) {
      throw new ToolError(
        `The gateway at ${target.origin} does not answer (${reasonOf(error)}). Check that it runs, and try again.`,
      )
    }
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? message
}
