import type { VerifyFinding } from '@headrace/sdk'
import type { RecordsByMessage } from './check-block-parts.ts'
import type { EvmFindingCode, PublishedBlock } from './published-block.ts'

/** Reports consecutive blocks that lack all of their transactions, or all of their receipts, in one finding. */
export interface AbsentParts {
  /** Returns in `names` the parts that the block lacks completely. */
  take(block: PublishedBlock, records: RecordsByMessage, topics: TopicsByMessage): AbsentInBlock
  end(): VerifyFinding[]
}

type TopicsByMessage = Readonly<Record<string, string | undefined>>

interface AbsentInBlock {
  readonly names: ReadonlySet<string>
  readonly findings: readonly VerifyFinding[]
}

const partNames = ['Transaction', 'Receipt'] as const
type PartName = (typeof partNames)[number]

interface AbsentRange {
  readonly topic: string
  readonly first: PublishedBlock
  last: PublishedBlock
  blocks: number
  expected: number
}

export function createAbsentParts(): AbsentParts {
  const ranges = new Map<PartName, AbsentRange>()

  function end(name: PartName): VerifyFinding[] {
    const range = ranges.get(name)
    ranges.delete(name)
    return range ? [absent(name, range)] : []
  }

  return {
    take(block, records, topics) {
      const names = new Set<string>()
      const findings: VerifyFinding[] = []
      for (const name of partNames) {
        const topic = topics[name]
        if (block.transactionCount === 0 || topic === undefined) continue
        if (records[name]?.length) findings.push(...end(name))
        else {
          names.add(name)
          const range = ranges.get(name) ?? { topic, first: block, last: block, blocks: 0, expected: 0 }
          range.last = block
          range.blocks++
          range.expected += block.transactionCount
          ranges.set(name, range)
        }
      }
      return { names, findings }
    },
    end: () => partNames.flatMap(end),
  }
}

function absent(name: PartName, { topic, first, last, blocks, expected }: AbsentRange): VerifyFinding {
  const code: EvmFindingCode = 'missing_in_block'
  const of = blocks === 1 ? `block ${first.number}` : `${blocks} blocks from ${first.number} to ${last.number}`
  const message = `All ${expected} ${name.toLowerCase()}s of ${of} are missing.`
  return { code, message, topic, unit: first.record.unit, source: { block: first.number }, expected, found: 0 }
}
