import type { Caller } from './caller.ts'

export interface CallerTable<Use> {
  /** Made at the first call for the caller. */
  of(caller: Caller): Use
  find(id: string): Use | undefined
  all(): Iterable<Use>
}

export interface CallerTableOptions<Use> {
  make(caller: Caller): Use
  /** Whether it could be made again without a difference. */
  isUnused(use: Use): boolean
  /** Whether it must be kept, because something of the caller is open. */
  isOpen(use: Use): boolean
  /** When there are more, those that came first are forgotten, except open ones. Default 100,000, about 40 MB. */
  readonly most?: number
}

const leastSweep = 1000

/** What callers use. There may be any number of addresses, so unused ones are forgotten. */
export function createCallerTable<Use>(options: CallerTableOptions<Use>): CallerTable<Use> {
  const { make, isUnused, isOpen, most = 100_000 } = options
  const uses = new Map<string, Use>()
  let sweepAt = Math.min(leastSweep, most)
  return {
    of(caller) {
      const known = uses.get(caller.id)
      if (known) return known
      if (uses.size >= sweepAt) sweep()
      const made = make(caller)
      uses.set(caller.id, made)
      return made
    },
    find: (id) => uses.get(id),
    all: () => uses.values(),
  }

  /** The number of callers at least doubles until the next sweep, so each costs a constant time. */
  function sweep(): void {
    for (const [id, use] of uses) if (isUnused(use)) uses.delete(id)
    for (const [id, use] of uses) {
      if (uses.size <= most / 2) break
      if (!isOpen(use)) uses.delete(id)
    }
    sweepAt = Math.max(leastSweep, uses.size * 2)
  }
}
