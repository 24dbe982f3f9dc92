import { decodeCursor, type NextSeqs } from '../../../catalog/src/index.ts'
import type { ExpectedRecord, LogOracle, PublishedUnit, SourceUnit } from './log-oracle.ts'

/** Computes the expected output of a transform: each input unit with records once, in order. */
export interface TransformOracle {
  /** See `LogOracleOptions.unitAt`. A position is a cursor of the input. */
  unitAt(position: unknown, canonical: readonly SourceUnit[]): SourceUnit | string
  /** Whether all visible input is published. */
  readonly complete: boolean
}

export function createTransformOracle(
  input: () => LogOracle,
  transformed: (records: readonly ExpectedRecord[]) => readonly ExpectedRecord[],
): TransformOracle {
  /** Number of input units that were passed. */
  let passed = 0
  /** Names of the units that yield no record. */
  const empty = new Set<string>()

  const isSilent = ({ changes }: PublishedUnit): boolean => !changes

  return {
    unitAt(position, canonical) {
      const units = input().published()
      const key = seqsKey(cursorSeqs(position as string))
      const place = units.findIndex(({ nextSeq }) => seqsKey(nextSeq) === key)
      const unit = units[place]
      if (!unit) return `no unit of the input ends at ${key}`
      const newest = canonical.at(-1)
      // Only the final unit has changed.
      if (place < passed && newest?.name === unit.name) return { name: unit.name, records: [] }
      if (place < passed) return `unit ${unit.unit} of the input is published again`
      const left = units.slice(passed, place).find(({ changes }) => changes)
      if (left) return `unit ${left.unit} of the input is left out`
      passed = place + 1
      const records = transformed(unit.records)
      if (records.length === 0) empty.add(unit.name)
      const before = canonical.filter((one) => one.records.length > 0).map(({ name }) => name)
      const after = records.length > 0 ? [...before, unit.name] : before
      const expected = unit.canonical.filter((name) => !empty.has(name))
      if (after.join() !== expected.join())
        return `${after} are canonical after unit ${unit.unit} of the input instead of ${expected}`
      return { name: unit.name, records }
    },
    get complete() {
      return input().published().slice(passed).every(isSilent)
    },
  }
}

function cursorSeqs(cursor: string): NextSeqs {
  const { topics } = decodeCursor(cursor)
  return Object.fromEntries(topics.map(({ topic, partitions }) => [topic, partitions.map(({ seq }) => seq ?? 0)]))
}

function seqsKey(seqs: NextSeqs): string {
  return Object.keys(seqs)
    .sort()
    .map((topic) => `${topic} ${seqs[topic]}`)
    .join()
}
