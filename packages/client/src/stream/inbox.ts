export interface Inbox<Item> {
  readonly size: number
  put(item: Item, size: number): void
  /** Items can still be taken. Only the first reason counts. */
  end(reason: unknown): void
  take(): Promise<Item[]>
  emptied(): Promise<void>
}

export function createInbox<Item>(): Inbox<Item> {
  let items: Item[] = []
  let size = 0
  let ended: { reason: unknown } | undefined
  let arrival = Promise.withResolvers<void>()
  let departure = Promise.withResolvers<void>()
  return {
    get size() {
      return size
    },
    put(item, itemSize) {
      if (ended) return
      size += itemSize
      if (items.push(item) === 1) arrival.resolve()
    },
    end(reason) {
      ended ??= { reason }
      arrival.resolve()
      departure.resolve()
    },
    async take() {
      while (items.length === 0) {
        if (ended) throw ended.reason
        await arrival.promise
      }
      const taken = items
      items = []
      size = 0
      arrival = Promise.withResolvers()
      if (ended) arrival.resolve()
      departure.resolve()
      departure = Promise.withResolvers()
      return taken
    },
    async emptied() {
      if (items.length > 0) await departure.promise
      if (ended) throw ended.reason
    },
  }
}
