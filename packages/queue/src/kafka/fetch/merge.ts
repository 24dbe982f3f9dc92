type Arrival<T> =
  | { readonly from: AsyncGenerator<T>; readonly result: IteratorResult<T> }
  | { readonly failure: unknown }

/** Yields values as they arrive. Each generator is at most one value ahead of the reader. */
export async function* merge<T>(generators: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const arrived: Arrival<T>[] = []
  let wake: (() => void) | undefined
  let running = generators.length

  async function advance(from: AsyncGenerator<T>): Promise<void> {
    try {
      arrived.push({ from, result: await from.next() })
    } catch (failure) {
      arrived.push({ failure })
    }
    wake?.()
  }

  for (const generator of generators) advance(generator)
  while (running > 0) {
    const next = arrived.shift()
    if (!next) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      continue
    }
    if ('failure' in next) throw next.failure
    if (next.result.done) {
      running--
      continue
    }
    advance(next.from)
    yield next.result.value
  }
}
