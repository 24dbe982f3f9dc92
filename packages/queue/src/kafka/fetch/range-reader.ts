import type { RangeReader } from '../../reading/read-range.ts'
import type { Cluster } from '../connection/cluster.ts'
import { highWatermark } from './high-watermark.ts'
import { read } from './read.ts'

/** A cluster as what `readRange` reads from. */
export function rangeReader(cluster: Cluster): RangeReader {
  return {
    read: (at, limits) => read(cluster, at, limits),
    highWatermark: (topic, partition) => highWatermark(cluster, { topic, partition }),
  }
}
