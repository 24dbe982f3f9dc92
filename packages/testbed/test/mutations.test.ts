import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutate, mutations } from '../mutations/mutation.ts'
import { knownSeeds, tableInReadme, tableOf } from '../mutations/seed-table.ts'

test('each mutation changes one place of the code as it is', () => {
  for (const mutation of mutations) {
    const source = readFileSync(new URL(`../../../${mutation.file}`, import.meta.url), 'utf8')
    expect(mutate(source, mutation)).not.toBe(source)
  }
})

test('the mutations have names of their own', () => {
  const names = mutations.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the table of the README has all mutations, each with its seed', () => {
  expect(tableInReadme()).toBe(tableOf(knownSeeds()))
  expect([...knownSeeds().keys()]).toEqual(mutations.map(({ name }) => name))
})
