import { expect, test } from 'vitest'
import type { Unit } from '../../connector/connector.ts'
import type { EncodedUnit } from '../cycle/encoded-unit.ts'
import { createPublisher, type Publisher } from './publisher.ts'

/** A publisher whose commits end when the test ends them. */
function createManualPublisher(ofUnit: Partial<EncodedUnit> = {}, group: 'auto' | 'off' = 'auto') {
  const commits: { units: number[]; resolve: () => void; reject: (error: Error) => void }[] = []
  const failures: string[] = []
  const encode = (unit: Unit): EncodedUnit => ({
    unit: unit.checkpoint as number,
    revert: undefined,
    records: [],
    deadLetters: [],
    position: unit.checkpoint,
    checkpoint: new Uint8Array(),
    revertible: null,
    bytes: 1,
    ...ofUnit,
  })
  const publisher: Publisher = createPublisher({
    group,
    planRevert: async () => ({ units: 2, records: 0, partitions: [] }),
    encode,
    commit: (units) =>
      new Promise((resolve, reject) => commits.push({ units: units.map(({ unit }) => unit), resolve, reject })),
    onCommit: () => {},
    onFailure: () => failures.push('failed'),
  })
  return { publisher, commits, failures }
}

const unit = (checkpoint: number): Unit => ({ checkpoint })

test('a unit is committed alone while no commit is under way, and later ones together', async () => {
  const { publisher, commits } = createManualPublisher()
  for (const number of [1, 2, 3]) await publisher.publish(unit(number))
  expect(commits.map(({ units }) => units)).toEqual([[1]])
  commits[0]!.resolve()
  await expect.poll(() => commits.length).toBe(2)
  expect(commits[1]!.units).toEqual([2, 3])
  commits[1]!.resolve()
  await publisher.settled()
})

test.each([
  ['records', { bytes: 2 * 1024 * 1024 }],
  ['dead letters', { deadLetters: [{ topic: 'letters', key: null, value: Buffer.alloc(2 * 1024 * 1024), time: 0 }] }],
])('the source waits for the commit when the next group is full of %s', async (_, ofUnit) => {
  const { publisher, commits } = createManualPublisher(ofUnit)
  await publisher.publish(unit(1))
  let taken = false
  const second = publisher.publish(unit(2)).then(() => {
    taken = true
  })
  await Promise.resolve()
  expect(taken).toBe(false)
  commits[0]!.resolve()
  await second
  expect(commits[1]!.units).toEqual([2])
})

test('a failed commit is reported once, and every later call throws its error', async () => {
  const { publisher, commits, failures } = createManualPublisher()
  await publisher.publish(unit(1))
  await publisher.publish(unit(2))
  const error = new Error('fenced')
  commits[0]!.reject(error)
  await expect(publisher.settled()).rejects.toBe(error)
  await expect(publisher.publish(unit(3))).rejects.toBe(error)
  await expect(publisher.settled()).rejects.toBe(error)
  expect(failures).toEqual(['failed'])
  expect(commits).toHaveLength(1)
})

test('a unit with reverts waits for the units before it, and then for the replacements', async () => {
  const { publisher, commits } = createManualPublisher()
  await publisher.publish(unit(1))
  const taken = publisher.publish({ ...unit(2), revertTo: null })
  expect(commits.map(({ units }) => units)).toEqual([[1]])
  commits[0]!.resolve()
  await taken
  await publisher.publish(unit(3))
  expect(commits).toHaveLength(1)
  await publisher.publish(unit(4))
  expect(commits[1]!.units).toEqual([2, 3, 4])
})

test.each(['no unit follows for half a second', 'the source ends'])(
  'an incomplete group of replacements is committed when %s',
  async (when) => {
    const { publisher, commits } = createManualPublisher()
    await publisher.publish({ ...unit(1), revertTo: null })
    expect(commits).toHaveLength(0)
    const settled = when === 'the source ends' ? publisher.settled() : undefined
    await expect.poll(() => commits.length).toBe(1)
    commits[0]!.resolve()
    await settled
    expect(commits[0]!.units).toEqual([1])
  },
)

test('without grouping each unit has a transaction of its own, even one with reverts', async () => {
  const { publisher, commits } = createManualPublisher({}, 'off')
  const published = (async () => {
    await publisher.publish(unit(1))
    await publisher.publish(unit(2))
    await publisher.publish({ ...unit(3), revertTo: null })
    await publisher.publish(unit(4))
    await publisher.settled()
  })()
  for (let count = 1; count <= 4; count++) {
    await expect.poll(() => commits.length).toBe(count)
    commits.at(-1)!.resolve()
  }
  await published
  expect(commits.map(({ units }) => units)).toEqual([[1], [2], [3], [4]])
})
