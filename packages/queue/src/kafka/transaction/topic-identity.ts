import { TopicMismatchError } from '../../errors.ts'
import type { Metadata } from '../connection/metadata.ts'

/** Which topics a writer writes to. Names can be given again, ids cannot. */
export interface TopicIdentity {
  /** @throws {TopicMismatchError} the topic is not the one that was written to before. */
  check(topic: string): void
}

/**
 * Notices that a topic was deleted and created again while a writer was open: what it holds then is another history, in
 * which the writer's next record would leave a hole. As soon as the metadata says so (KIP-516).
 */
export function createTopicIdentity(metadata: Metadata): TopicIdentity {
  const ids = new Map<string, string>()
  return {
    check(topic) {
      const id = metadata.topicId(topic)
      if (id === undefined) return
      const before = ids.get(topic) ?? id
      ids.set(topic, before)
      if (id === before) return
      throw new TopicMismatchError(topic, 'it was deleted and created again while it was written to. Start anew')
    },
  }
}
