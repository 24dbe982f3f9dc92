import { setImmediate as nextTurn } from 'node:timers/promises'

/** The messages of one client that have come and are not handled yet. */
export interface MessageQueue<Message> {
  add(message: Message): void
  /** Drops what waits. */
  clear(): void
}

export interface MessageQueueOptions<Message> {
  /** Must not reject. */
  handle(message: Message): Promise<void>
  /** Called each time that nothing waits any more. */
  onIdle(): void
}

/**
 * Handles messages one after the other, in one loop. A promise for each that waits for the one before would make every
 * error of the first cost as much as there are messages behind it: V8 collects a stack along such promises.
 */
export function createMessageQueue<Message>({ handle, onIdle }: MessageQueueOptions<Message>): MessageQueue<Message> {
  let waiting: Message[] = []
  let isWorking = false
  return {
    add(message) {
      waiting.push(message)
      if (!isWorking) void work()
    },
    clear() {
      waiting = []
    },
  }

  async function work(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      await handle(waiting.shift()!)
      // Many small messages may have come at once: between two of them other clients have their turn.
      if (waiting.length > 0) await nextTurn()
    }
    isWorking = false
    onIdle()
  }
}
