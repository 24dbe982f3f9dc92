import { assertPublished, type TestProject } from '@headrace/sdk/testing'
import { expect } from 'vitest'
import { genesisSeconds, unitOf } from './chain/connector.ts'
import { schema } from './chain/schema.ts'

/**
 * Expects blocks 0 to `end` in the topics, each completely, once and in order. Each block is one unit, with the time of
 * the block.
 */
export async function expectExactlyOnce(project: TestProject, end: number): Promise<void> {
  const numbers = Array.from({ length: end + 1 }, (_, number) => number)
  await assertPublished(project, schema, numbers.map(unitOf))
  const blocks = await project.records('Block')
  expect(blocks.map(({ unit }) => unit)).toEqual(numbers.map((number) => number + 1))
  expect(blocks.map(({ time }) => time.getTime() / 1000)).toEqual(numbers.map((number) => genesisSeconds + number))
}
