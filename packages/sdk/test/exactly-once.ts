import type { TestProject } from '@headrace/sdk/testing'
import { expect } from 'vitest'
import { genesisSeconds, unitOf } from './chain/connector.ts'

/**
 * Asserts that the topics hold blocks 0 to `end` whole, each once and in order: seqs and unit numbers without holes,
 * each transaction in its block's unit, times those of the blocks.
 */
export async function expectExactlyOnce(project: TestProject, end: number): Promise<void> {
  const numbers = Array.from({ length: end + 1 }, (_, number) => number)
  const blocks = await project.records('Block')
  expect(blocks.map(({ value }) => (value as { Number: string }).Number)).toEqual(numbers.map(String))
  expect(blocks.map(({ seq }) => seq)).toEqual(numbers)
  expect(blocks.map(({ unit }) => unit)).toEqual(numbers.map((number) => number + 1))
  expect(blocks.map(({ time }) => time.getTime() / 1000)).toEqual(numbers.map((number) => genesisSeconds + number))

  const transactions = await project.records('Transaction')
  const wanted = numbers.flatMap((number) =>
    unitOf(number).messages.Transaction.map(({ Hash }) => `${number + 1} ${Hash}`),
  )
  expect(transactions.map(({ unit, key }) => `${unit} ${key}`).sort()).toEqual(wanted.sort())
  for (const partition of [0, 1, 2]) {
    const records = transactions.filter((record) => record.partition === partition)
    expect(records.length).toBeGreaterThan(0)
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i))
    expect(records.map(({ unit }) => unit)).toEqual(records.map(({ unit }) => unit!).sort((a, b) => a - b))
  }
  const newest = unitOf(end).checkpoint
  expect(await project.checkpoint()).toEqual(newest)
}
