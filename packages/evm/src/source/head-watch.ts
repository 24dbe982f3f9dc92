import type { Head } from '../head/head.ts'

/**
 * Notes the head of an endpoint and tells for how long it has been that block, in ms. Any other head, also a lower one,
 * begins anew: one that was once said to be too high does not make an endpoint look as if it had stopped.
 */
export type HeadWatch = (endpoint: string, head: Head) => number

export function createHeadWatch(): HeadWatch {
  const seen = new Map<string, { readonly head: Head; readonly since: number }>()
  return (endpoint, head) => {
    const now = performance.now()
    const before = seen.get(endpoint)
    if (before?.head.number === head.number && before.head.hash === head.hash) return now - before.since
    seen.set(endpoint, { head, since: now })
    return 0
  }
}
