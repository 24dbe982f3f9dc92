import { assertPublished, type TestProject } from '@headrace/sdk/testing'
import { expect } from 'vitest'
import { genesisSeconds, unitOf } from './chain/connector.ts'
import { schema } from './chain/schema.ts'

/**
 * Asserts that the topics hold blocks 0 to `end` whole, each once and in order: each block committed as one unit, at the
 * time that it says.
 */
export async function expectExactlyOnce(project: TestProject, end: number): Promise<void> {
  const numbers = Array.from({ length: end + 1 }, (_, number) => number)
  await assertPublished(project, schema, numbers.map(unitOf))
  const blocks = await project.records('Block')
  expect(blocks.map(({ unit }) => unit)).toEqual(numbers.map((number) => number + 1))
  expect(blocks.map(({ time }) => time.getTime() / 1000)).toEqual(numbers.map((number) => genesisSeconds + number))
}
