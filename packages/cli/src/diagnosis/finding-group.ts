import type { Finding } from '@headrace/queue'

export interface FindingGroup {
  readonly about: 'queue' | 'node' | 'manifest' | 'source' | 'port'
  readonly title: string
  readonly findings: AsyncIterable<Finding> | Iterable<Finding>
}

export function finding(found: Omit<Finding, 'repaired'>): Finding {
  return { ...found, repaired: false }
}
