import { describe, expect, it } from 'vitest'
import { merge } from './merge.ts'

describe('merged generators', () => {
  it('yield all values alternately, in the order of each generator', async () => {
    const values: string[] = []
    for await (const value of merge([count('a', 3), count('b', 3), count('c', 1)])) values.push(value)
    expect(values).toHaveLength(7)
    for (const name of ['a', 'b', 'c']) {
      const own = values.filter((value) => value.startsWith(name))
      expect(own).toEqual(own.toSorted())
    }
    expect(values.slice(0, 3).toSorted()).toEqual(['a0', 'b0', 'c0'])
  })

  it('do not wait for one that yields nothing', async () => {
    const never = (async function* (): AsyncGenerator<string> {
      await new Promise(() => {})
    })()
    const values: string[] = []
    for await (const value of merge([never, count('a', 5)])) {
      values.push(value)
      if (values.length === 5) break
    }
    expect(values).toEqual(['a0', 'a1', 'a2', 'a3', 'a4'])
  })

  it('are at most one value ahead of the reader', async () => {
    const made: string[] = []
    const walking = merge([count('a', 10, (value) => made.push(value))])
    await walking.next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(made).toEqual(['a0', 'a1'])
  })

  it('end with the first error', async () => {
    const failing = (async function* (): AsyncGenerator<string> {
      yield 'x'
      throw new Error('failed')
    })()
    const walk = async (): Promise<void> => {
      for await (const _ of merge([failing, count('a', 1_000_000)]));
    }
    await expect(walk()).rejects.toThrow('failed')
  })
})

async function* count(name: string, values: number, onValue?: (value: string) => void): AsyncGenerator<string> {
  for (let index = 0; index < values; index++) {
    onValue?.(`${name}${index}`)
    yield `${name}${index}`
  }
}
