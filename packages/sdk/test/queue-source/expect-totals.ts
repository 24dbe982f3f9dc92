import { replayRecords, type TestProject } from '@headrace/sdk/testing'
import { expect } from 'vitest'
import { canonical, type ScriptedUnit } from '../reverts/script.ts'

/** Expects that the canonical output is derived from the canonical input: the blocks with their transactions. */
export async function expectTotals(totals: TestProject, units: readonly ScriptedUnit[]): Promise<void> {
  const published = canonical(units).filter(({ messages }) => messages?.Block)
  const sums = replayRecords(await totals.records('Total'))
  expect(sums.map(({ value }) => value)).toEqual(
    published.map(({ messages }) => ({
      Hash: messages!.Block![0]!.Hash,
      Transactions: String(messages!.Transaction?.length ?? 0),
    })),
  )
  const partitions = Map.groupBy(await totals.records('Sender'), ({ partition }) => partition)
  const senders = [...partitions.values()].flatMap(replayRecords)
  const unitOf = new Map(sums.map(({ unit, value }) => [(value as { Hash: string }).Hash, unit]))
  expect(senders.map(({ unit, key }) => [unit, key]).sort()).toEqual(
    published
      .flatMap(({ messages }) =>
        (messages!.Transaction ?? []).map(({ Hash }) => [unitOf.get(messages!.Block![0]!.Hash), Hash]),
      )
      .sort(),
  )
}
