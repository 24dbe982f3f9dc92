import type { VerifyFinding } from '@headrace/sdk'
import type { RecordsByMessage } from './check-block-parts.ts'
import type { EvmFindingCode, PublishedBlock } from './published-block.ts'

/** Finds consecutive blocks without any of their transactions or receipts: one finding for all of them. */
export interface AbsentParts {
  /** Returns in `names` the parts that the block lacks completely. */
  take(block: PublishedBlock, records: RecordsByMessage, topics: TopicsByMessage): AbsentInBlock
  end(): VerifyFinding[]
}

export type TopicsByMessage = Readonly<Record<string, string | undefined>>

export interface AbsentInBlock {
  readonly names: ReadonlySet<string>
  readonly findings: readonly VerifyFinding[]
}

const kinds = { Transaction: 'transactions', Receipt: 'receipts' } as const
type PartName = keyof typeof kinds
const partNames = Object.keys(kinds) as PartName[]

interface Stretch {
  readonly topic: string
  readonly first: PublishedBlock
  last: PublishedBlock
  blocks: number
  expected: number
}

export function createAbsentParts(): AbsentParts {
  const stretches = new Map<PartName, Stretch>()

  function end(name: PartName): VerifyFinding[] {
    const stretch = stretches.get(name)
    stretches.delete(name)
    return stretch ? [absent(name, stretch)] : []
  }

  return {
    take(block, records, topics) {
      const names = new Set<string>()
      const findings: VerifyFinding[] = []
      for (const name of partNames) {
        const topic = topics[name]
        if (block.transactionCount === 0 || topic === undefined) continue
        if ((records[name]?.length ?? 0) > 0) findings.push(...end(name))
        else {
          names.add(name)
          const stretch = stretches.get(name) ?? { topic, first: block, last: block, blocks: 0, expected: 0 }
          stretch.last = block
          stretch.blocks++
          stretch.expected += block.transactionCount
          stretches.set(name, stretch)
        }
      }
      return { names, findings }
    },
    end: () => partNames.flatMap(end),
  }
}

function absent(name: PartName, { topic, first, last, blocks, expected }: Stretch): VerifyFinding {
  const code: EvmFindingCode = 'missing_in_block'
  const of = blocks === 1 ? `block ${first.number}` : `${blocks} blocks from ${first.number} to ${last.number}`
  const message = `All ${expected} ${kinds[name]} of ${of} are missing.`
  return { code, message, topic, unit: first.record.unit, source: { block: first.number }, expected, found: 0 }
}
