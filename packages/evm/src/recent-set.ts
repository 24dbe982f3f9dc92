export interface RecentSet<T> {
  has(value: T): boolean
  /** Removes the oldest value from a full set. */
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
