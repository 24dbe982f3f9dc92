import { expect, test } from 'vitest'
import { type Layout, sceneAt } from './scene.ts'
import { tellStory } from './story.ts'

const layout: Layout = { width: 1100, left: 100, cell: 40, gap: 16, margin: 96 }
const story = tellStory()

test('no reader is before the start or past what is committed, and each continues without a gap', () => {
  const last = new Map<string, number>()
  for (let time = 0; time < 2 * story.duration; time += 0.05) {
    const { cells, readers } = sceneAt(story, time, layout)
    const committed = cells.filter(({ kind }) => kind === 'committed' || kind === 'revert')
    const end = Math.max(...committed.map(({ label }) => Number(label))) + 1
    for (const { name, next } of readers) {
      expect(next, `${name} at ${time}`).toBeLessThanOrEqual(end)
      expect(next, `${name} at ${time}`).toBeGreaterThanOrEqual(last.get(name) ?? 0)
      last.set(name, next)
    }
  }
})

test('the story repeats with later numbers, without a jump', () => {
  const next = (time: number) => sceneAt(story, time, layout).readers.map((reader) => reader.next)
  expect(next(story.duration + 20)).toEqual(next(20).map((number) => number + story.seqs))
  const [before, after] = [-0.001, 0.001].map((shift) => sceneAt(story, story.duration + shift, layout))
  const places = ({ cells, blocks }: typeof before & object) =>
    new Map([...cells, ...blocks].map(({ label, x }) => [label, x]))
  const ends = places(after!)
  for (const [label, x] of places(before!)) if (x > 0) expect(ends.get(label), label).toBeCloseTo(x, 0)
  for (const [index, { name, x }] of before!.readers.entries())
    expect(after!.readers[index], name).toMatchObject({ name, x: expect.closeTo(x, 0) })
})

test('a revert comes after all records that it reverts, and those are struck', () => {
  const times = Array.from({ length: 300 }, (_, index) => index / 10)
  const scenes = times.map((time) => sceneAt(story, story.duration + time, layout))
  const withReverts = scenes.filter(({ cells }) => cells.some(({ kind }) => kind === 'revert'))
  expect(withReverts.length).toBeGreaterThan(50)
  for (const { reverts, cells } of withReverts) {
    for (const { from, to } of reverts) expect(from).toBeGreaterThan(to)
    const struck = cells.filter(({ struck }) => struck)
    const reverting = cells.filter(({ kind }) => kind === 'revert')
    if (reverting.every(({ x }) => x > layout.width / 2)) expect(struck).toHaveLength(reverting.length)
  }
})
