import type { Finding } from '@headrace/queue'

/** What the doctor looks at, and what it finds there. */
export interface FindingGroup {
  readonly about: 'queue' | 'node' | 'manifest' | 'source' | 'port'
  /** What is looked at, for people. */
  readonly title: string
  readonly findings: AsyncIterable<Finding> | Iterable<Finding>
}

/** A finding that nothing but the user can repair. */
export function finding(found: Omit<Finding, 'repaired'>): Finding {
  return { ...found, repaired: false }
}
