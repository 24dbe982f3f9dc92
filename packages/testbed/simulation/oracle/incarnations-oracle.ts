import type { World } from '../world/world.ts'

/** Checks that a reader never mixes up a deleted topic with a new one of the same name. */
export interface IncarnationsOracle {
  /** A value becomes visible to readers of committed records. */
  shown(topicId: string, partition: number, value: string): void
  /** A reader has read a value as the one after `count` others of a partition. */
  readerHas(reader: string, at: ReaderPlace, value: string): void
  count(topicId: string, partition: number): number
}

export interface ReaderPlace {
  readonly topicId: string
  readonly partition: number
  readonly count: number
}

export function createIncarnationsOracle(world: World): IncarnationsOracle {
  const values = new Map<string, string[]>()

  function of(topicId: string, partition: number): string[] {
    const key = `${topicId}/${partition}`
    const found = values.get(key) ?? []
    values.set(key, found)
    return found
  }

  return {
    shown: (topicId, partition, value) => void of(topicId, partition).push(value),
    readerHas(reader, { topicId, partition, count }, value) {
      const expected = of(topicId, partition)[count]
      if (value === expected) return
      world.fail(`${reader} has read ${value} of partition ${partition} of ${topicId} instead of ${expected}`)
    },
    count: (topicId, partition) => of(topicId, partition).length,
  }
}
