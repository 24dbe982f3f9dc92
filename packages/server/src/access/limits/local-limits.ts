import { createCallerTable } from './caller-table.ts'
import { type LimitStore, once } from './limit-store.ts'
import { bucketState, createTokenBucket, isFull, limitBucket, type TokenBucket, takeToken } from './token-bucket.ts'

interface Use {
  readonly bucket: TokenBucket
  connections: number
}

/**
 * A store for one gateway. Always answers without a promise.
 *
 * @param clock - Monotonic, in ms.
 */
export function createLocalLimits(clock: () => number = () => performance.now()): LimitStore {
  const uses = createCallerTable<Use>({
    make: (caller) => ({ bucket: createTokenBucket(caller, clock()), connections: 0 }),
    isUnused: ({ bucket, connections }) => connections === 0 && isFull(bucket, clock()),
    isOpen: ({ connections }) => connections > 0,
  })
  return {
    takeRequest(caller) {
      const { bucket } = uses.of(caller)
      const now = clock()
      limitBucket(bucket, caller, now)
      return { isAllowed: takeToken(bucket, now), ...bucketState(bucket) }
    },
    openConnection(caller) {
      const use = uses.of(caller)
      const others = use.connections
      if (others >= caller.connections) return { others }
      use.connections++
      return { others, close: once(() => use.connections--) }
    },
  }
}
