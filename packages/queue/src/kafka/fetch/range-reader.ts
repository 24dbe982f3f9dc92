import { PositionLostError } from '../../errors.ts'
import type { RangeReader } from '../../reading/read-range.ts'
import type { Cluster } from '../connection/cluster.ts'
import { highWatermark } from './high-watermark.ts'
import { read } from './read.ts'

export function rangeReader(cluster: Cluster): RangeReader {
  return {
    read: (at, limits) => read(cluster, at, limits),
    highWatermark: (topic, partition) => highWatermark(cluster, { topic, partition }),
  }
}

/** Repeats a search if the bounds that it has listed are outdated. Throws the third `PositionLostError`. */
export async function retryIfTruncated<T>(search: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await search()
    } catch (error) {
      if (!(error instanceof PositionLostError) || tries === maxTries) throw error
    }
  }
}

const maxTries = 3
