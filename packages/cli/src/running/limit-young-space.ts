import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Two semi-spaces. */
const enoughBytes = 4 << 20

/**
 * Stops the growth of the space for young objects when it is large enough. V8 lets it grow to 128 MiB on a machine with
 * much memory, and does not shrink it. A connector has few objects at a time, but creates many: it would fill this
 * space between two collections. The flag for its size has no effect in a process that is running.
 */
export function limitYoungSpace(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    if (!young || young.space_size < enoughBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}
