import { HeadraceError } from './errors.ts'

/**
 * Describes an error in one line, with the messages and codes of its causes, each once: `fetch` alone reports only
 * "fetch failed".
 *
 * @example
 * ```ts
 * errorReason(error) // fetch failed: connect ECONNREFUSED 127.0.0.1:8545
 * ```
 */
export function errorReason(error: unknown): string {
  const reasons: string[] = []
  for (const reason of reasonsOf(error, new Set()))
    if (!reasons.some((known) => known.includes(reason))) reasons.push(reason)
  return reasons.join(': ') || 'for an unknown reason'
}

function* reasonsOf(error: unknown, seen: Set<unknown>): Generator<string> {
  if (seen.has(error)) return
  seen.add(error)
  if (!(error instanceof Error)) {
    if (error !== undefined) yield String(error)
    return
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    if (error.message) yield error.message
    return yield [...new Set(error.errors.map(errorReason))].join(', ')
  }
  yield ownReason(error)
  // Messages of errors of this project include their cause.
  if (!(error instanceof HeadraceError)) yield* reasonsOf(error.cause, seen)
}

/** `406D…:error:0A00010B:SSL routines:function:reason:file:line:` */
const openSslForm = /^[\dA-F]+:error:[\dA-F]+:[^:]*:[^:]*:([^:]*):.*$/s

function ownReason(error: Error): string {
  const message = error.message.replace(openSslForm, '$1')
  const code = String((error as NodeJS.ErrnoException).code ?? '')
  if (!message) return code || error.name
  const addsCode = /^[A-Z][A-Z0-9_]+$/.test(code) && !message.includes(code)
  return addsCode ? `${message.trim().replace(/\.$/, '')} (${code})` : message
}
