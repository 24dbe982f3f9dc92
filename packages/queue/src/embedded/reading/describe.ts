import type { TopicDescription } from '../../queue.ts'
import type { Engine } from '../engine.ts'
import { toQueueError } from '../storage/sqlite-error.ts'
import { closedError } from '../storage/storage.ts'

/** Descriptions change with a commit only, and a gateway asks for one with each request. */
export function createDescribe(engine: Engine): (names?: readonly string[]) => TopicDescription[] {
  const { storage, lock, topics, inSnapshot, closing } = engine
  const { database, file } = storage
  const dataVersion = database.prepare('PRAGMA data_version')
  const known = new Map<string, TopicDescription>()
  let version = -1
  let commits = -1
  return (names) => {
    if (names === undefined) return inSnapshot(() => topics.describe())
    forgetChanged()
    const missing = names.filter((name) => !known.has(name))
    if (missing.length > 0) for (const found of inSnapshot(() => topics.describe(missing))) known.set(found.name, found)
    return [...new Set(names)].toSorted().flatMap((name) => known.get(name) ?? [])
  }

  /** Before what follows is read, so that a later commit is noticed by the next call. */
  function forgetChanged(): void {
    const now = readVersion()
    if (now === version && lock.commits === commits) return
    known.clear()
    version = now
    commits = lock.commits
  }

  /** Counts the commits of other connections. */
  function readVersion(): number {
    if (closing.aborted) throw closedError()
    try {
      return (dataVersion.get() as { data_version: number }).data_version
    } catch (error) {
      throw toQueueError(error, file)
    }
  }
}
