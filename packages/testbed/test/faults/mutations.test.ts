import { expect, inject, test } from 'vitest'
import { mutations } from '../../mutations/mutation.ts'
import { searchSeeds } from '../../mutations/search-seeds.ts'
import { knownSeeds } from '../../mutations/seed-table.ts'

const mostSeeds = 2000
const few = 5

test('the simulation detects the mutations', async () => {
  const seeds = knownSeeds()
  const quick = mutations.filter(({ name }) => seeds.get(name)! <= 10)
  // Entries that are far apart in the list belong to different parts of the code.
  const step = Math.ceil(quick.length / few)
  const chosen = inject('faultScale') === 'once' ? quick.filter((_, index) => index % step === 0) : mutations
  const missed: string[] = []
  const elsewhere: string[] = []
  const searches = chosen.map((mutation) => ({ mutation, first: seeds.get(mutation.name), upTo: mostSeeds }))
  await searchSeeds(searches, 2, ({ mutation: { name }, first }, { seed, error }) => {
    if (seed === undefined) missed.push(error === undefined ? name : `${name}: ${error}`)
    else if (seed !== first) elsewhere.push(`${name}: ${seed}`)
  })
  if (elsewhere.length > 0)
    console.warn(`The table of packages/testbed/README.md is old; other seeds find this:\n${elsewhere.join('\n')}`)
  expect(missed, `none of ${mostSeeds} seeds finds them`).toEqual([])
})
