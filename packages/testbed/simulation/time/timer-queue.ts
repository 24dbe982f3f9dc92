/** An item that is due at a time. */
export interface Due {
  /** Milliseconds since the start. */
  readonly at: number
  /** Order among items of the same time. */
  readonly order: number
}

/** A binary heap. The earliest item is taken first. */
export interface TimerQueue<T extends Due> {
  readonly size: number
  add(item: T): void
  take(): T | undefined
}

export function createTimerQueue<T extends Due>(): TimerQueue<T> {
  const heap: T[] = []

  function rise(item: T): void {
    let index = heap.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(item, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = item
  }

  function sink(item: T): void {
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, item)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = item
  }

  return {
    get size() {
      return heap.length
    },
    add: rise,
    take() {
      const first = heap[0]
      const last = heap.pop()
      if (heap.length > 0) sink(last!)
      return first
    },
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}
