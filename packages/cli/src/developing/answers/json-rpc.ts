/** The body of a JSON-RPC request whose answer can be given again. */
export interface ReadingCalls {
  /** The same for the same calls, whatever their ids. */
  readonly body: string
  /** In the order of the calls. */
  readonly ids: readonly unknown[]
}

/**
 * Reads the body of a request as JSON-RPC calls (2.0, sections 4 and 6) that change nothing; `undefined` where it is
 * something else. What a method does shows in its name alone, so those are taken that sound like reading.
 */
export function readCalls(body: string): ReadingCalls | undefined {
  const parsed = parseJson(body)
  const calls = Array.isArray(parsed) ? parsed : [parsed]
  if (calls.length === 0 || !calls.every(isReadingCall)) return undefined
  const anonymous = calls.map(({ id, ...call }) => call)
  return { body: JSON.stringify(Array.isArray(parsed) ? anonymous : anonymous[0]), ids: calls.map(({ id }) => id) }
}

/** Whether an answer says that a call has failed: a limit that was exceeded is told so with status 200. */
export function hasFailed(body: string): boolean {
  if (!body.includes('"error"')) return false
  const parsed = parseJson(body)
  const answers = Array.isArray(parsed) ? parsed : [parsed]
  return answers.some((answer) => (answer as { error?: unknown } | undefined)?.error != null)
}

/** Puts the ids of a request in the place of those that an answer was given to. */
export function withIds(body: string, from: readonly unknown[], to: readonly unknown[]): string {
  const renamed = new Map(from.map((id, index) => [id, to[index]]))
  const rename = (answer: { id?: unknown }) =>
    renamed.has(answer?.id) ? { ...answer, id: renamed.get(answer.id) } : answer
  const parsed = parseJson(body)
  if (Array.isArray(parsed)) return JSON.stringify(parsed.map(rename))
  return typeof parsed === 'object' && parsed !== null ? JSON.stringify(rename(parsed)) : body
}

interface Call {
  readonly id: unknown
  readonly method: string
}

function isReadingCall(value: unknown): value is Call {
  if (typeof value !== 'object' || value === null) return false
  const { jsonrpc, id, method } = value as { jsonrpc?: unknown; id?: unknown; method?: unknown }
  if (typeof jsonrpc !== 'string' || typeof method !== 'string' || id === undefined || id === null) return false
  return reading.test(method) && !acting.test(method)
}

/** `eth_getBlockByNumber`, `getSlot`, `state_getMetadata`, `net_version`, … */
const reading =
  /(?:^|[_.])(?:get|list|find|read|query|search|estimate|trace|call$|chainId$|blockNumber$|gasPrice$|feeHistory$|version$|clientVersion$|syncing$)/
/** `eth_getFilterChanges` answers what is new since it was asked last; `getnewaddress` makes one. */
const acting = /filter|subscri|work$|new/i

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
