/** Remembers what came last, so many at most. */
export interface RecentSet<T> {
  has(value: T): boolean
  /** Forgets the oldest one where there are as many as are kept. */
  add(value: T): void
}

export function createRecentSet<T>(most: number): RecentSet<T> {
  const values = new Set<T>()
  return {
    has: (value) => values.has(value),
    add(value) {
      if (values.size === most) values.delete(values.keys().next().value!)
      values.add(value)
    },
  }
}
