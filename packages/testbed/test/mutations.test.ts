import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutate, mutations } from '../mutations/mutation.ts'
import { knownSeeds, tableInReadme, tableOf } from '../mutations/seed-table.ts'

test('each mutation changes exactly one place of the current code', () => {
  for (const mutation of mutations) {
    const source = readFileSync(new URL(`../../../${mutation.file}`, import.meta.url), 'utf8')
    expect(mutate(source, mutation)).not.toBe(source)
  }
})

test('the names of the mutations are unique', () => {
  const names = mutations.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the table of the README lists every mutation with its seed', () => {
  expect(tableInReadme()).toBe(tableOf(knownSeeds()))
  expect([...knownSeeds().keys()]).toEqual(mutations.map(({ name }) => name))
})
