import { assertPublished, type TestProject } from '@headrace/sdk/testing'
import { expect } from 'vitest'
import { schema } from '../chain/schema.ts'
import type { ScriptedUnit } from './script.ts'

/** Asserts that the topics hold the canonical units of a script, each committed once. */
export async function expectReplayed(project: TestProject, units: readonly ScriptedUnit[]): Promise<void> {
  await assertPublished(project, schema, units)
  expect((await project.storedCheckpoint())!.unit).toBe(units.length)
}
