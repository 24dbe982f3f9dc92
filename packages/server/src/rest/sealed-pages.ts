import { createByteCache } from '../history/byte-cache.ts'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { OpenTopic } from '../topics/topic-directory.ts'
import type { DataQuery } from './data-endpoint.ts'
import { nameOfUrl } from './page-name.ts'
import type { SealingRule } from './sealing-rule.ts'

/** What is known of a page without its body. */
export interface PageHead {
  readonly name: string
  readonly topic: ServedTopic
  readonly records: number
  readonly bytes: number
  readonly digest: string
  /** Absent: it cannot be sealed. */
  readonly sealing: SealingRule | undefined
}

/** Finds sealed pages by their URL, without resolving its positions. */
export interface SealedPages {
  find(open: OpenTopic, query: DataQuery, generation: number): PageHead | undefined
  add(head: PageHead, query: DataQuery, generation: number): void
}

export function createSealedPages(maxBytes: number): SealedPages {
  const counts = { hits: 0, misses: 0, bytes: 0 }
  const pages = createByteCache<PageHead>(maxBytes, counts, ({ name }) => name.length)
  return {
    find(open, query, generation) {
      if (!query.continued) return undefined
      const head = pages.get(nameOfUrl(open.topic, query, generation))
      return head?.topic === open.topic && isHeld(head.sealing!, open) ? head : undefined
    },
    add(head, query, generation) {
      pages.set(nameOfUrl(head.topic, query, generation), head)
    },
  }
}

/** Whether the log still has the records of a page. */
function isHeld({ offsets }: SealingRule, { description }: OpenTopic): boolean {
  return offsets.every(({ from, to }, partition) => {
    const { earliest, end } = description.partitions[partition]!
    return earliest <= from && to <= end
  })
}
