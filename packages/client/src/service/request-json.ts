import { type Retry, withDeadline } from '../retry.ts'
import type { Service } from './service.ts'
import { readText } from './service-errors.ts'

export interface JsonRequest {
  readonly path: string
  /** Parameters without a value are omitted. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** For each attempt. */
  readonly ms: number
  readonly signal: AbortSignal | undefined
}

/** Repeats a request until it is answered. `undefined`: the answer is not JSON. */
export async function requestJson(service: Service, retry: Retry, request: JsonRequest): Promise<unknown> {
  const { path, query, ms, signal } = request
  for (;;) {
    try {
      const text = await withDeadline({ ms, signal }, async (deadline) =>
        readText(await service.get(path, query, deadline), deadline),
      )
      retry.succeeded()
      return parse(text)
    } catch (error) {
      await retry.after(error)
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
