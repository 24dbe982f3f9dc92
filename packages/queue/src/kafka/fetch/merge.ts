/** What several generators yield, in the order in which they yield it. Each is at most one value ahead. */
export async function* merge<T>(generators: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const next = async (generator: AsyncGenerator<T>) => ({ generator, result: await generator.next() })
  const pending = new Map(generators.map((generator) => [generator, next(generator)]))
  try {
    while (pending.size > 0) {
      const { generator, result } = await Promise.race(pending.values())
      if (result.done) {
        pending.delete(generator)
        continue
      }
      pending.set(generator, next(generator))
      yield result.value
    }
  } finally {
    for (const promise of pending.values()) promise.catch(() => {})
  }
}
