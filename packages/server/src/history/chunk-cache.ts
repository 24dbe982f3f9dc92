import type { Run } from './run.ts'

/** Runs by name, the most recently used ones up to a number of rendered bytes. */
export interface ChunkCache {
  get(name: string): Run | undefined
  set(name: string, run: Run): void
}

/** What a record costs in memory besides its bytes. */
const recordOverhead = 256

export function createChunkCache(maxBytes: number): ChunkCache {
  // In order of use: a Map keeps the order of insertion.
  const runs = new Map<string, Run>()
  let heldBytes = 0
  return {
    get(name) {
      const run = runs.get(name)
      if (run) {
        runs.delete(name)
        runs.set(name, run)
      }
      return run
    },
    set(name, run) {
      remove(name)
      if (sizeOf(run) > maxBytes) return
      runs.set(name, run)
      heldBytes += sizeOf(run)
      for (const oldest of runs.keys()) {
        if (heldBytes <= maxBytes) break
        remove(oldest)
      }
    },
  }

  function remove(name: string): void {
    const run = runs.get(name)
    if (run) heldBytes -= sizeOf(run)
    runs.delete(name)
  }
}

function sizeOf(run: Run): number {
  return run.byteLength + run.records.length * recordOverhead
}
