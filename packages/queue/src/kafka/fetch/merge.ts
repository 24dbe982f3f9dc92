/** Yields values as they arrive. Each generator is at most one value ahead of the reader. */
export async function* merge<T>(generators: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const settled: { readonly from: AsyncGenerator<T>; readonly next: Promise<IteratorResult<T>> }[] = []
  let arrival = Promise.withResolvers<void>()
  let running = generators.length

  function advance(from: AsyncGenerator<T>): void {
    const next = from.next()
    const arrive = (): void => {
      settled.push({ from, next })
      arrival.resolve()
    }
    next.then(arrive, arrive)
  }

  for (const generator of generators) advance(generator)
  while (running > 0) {
    const first = settled.shift()
    if (!first) {
      await arrival.promise
      arrival = Promise.withResolvers()
      continue
    }
    const { done, value } = await first.next
    if (done) {
      running--
      continue
    }
    advance(first.from)
    yield value
  }
}
