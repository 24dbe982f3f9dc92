import {
  type Checkpoint,
  checkTopics,
  createSystemTopics,
  registerTopics,
  resolveTopics,
  topicRegistrations,
} from '@headrace/catalog'
import type { RunOptions } from '../run-options.ts'
import { unlessAborted } from '../settled.ts'
import { type MessageTopic, messageTopics } from './message-topic.ts'
import { checkBeforeOpening, checkNotBehind, continueAfter, readPublishedEnds } from './published.ts'
import { openRunWriter, type RunWriter } from './run-writer.ts'

export interface StartedRun {
  readonly writer: RunWriter
  /** The last one that earlier runs committed; `undefined` at the first run. */
  readonly checkpoint: Checkpoint | undefined
  readonly topics: ReadonlyMap<string, MessageTopic>
}

/**
 * Makes a run the owner of its topics. The order of the steps matters: a refused run fences no other, and the
 * checkpoint is read when no earlier run can move it.
 *
 * @throws {UserError} `schema_mismatch`, `registration_refused`, `incompatible_schema`, `topic_mismatch`,
 *   `checkpoint_behind`
 * @throws {FencedError}
 */
export async function startRun(options: RunOptions): Promise<StartedRun> {
  const { connector, project, settings, queue, signal, log, publishAgain } = options
  const { instance, writerId, topics: resolved } = resolveTopics(project, settings, options.instance)
  const topics = messageTopics(connector.schema, project, resolved)
  const registrations = topicRegistrations(project, instance, resolved)
  const newTopics = options.newTopics === true || project.manifest.declaresTopicVersion

  await createSystemTopics(queue)
  await checkTopics(queue, registrations, { newTopics, places: project.schema.places })
  const names = resolved.map(({ name }) => name)
  const published = publishAgain ? undefined : await readPublishedEnds(queue, names)
  if (published) await checkBeforeOpening(queue, writerId, published)
  // A run that must stop does not fence the one before.
  signal.throwIfAborted()
  const { writer, checkpoint } = await openRunWriter(queue, writerId)
  try {
    if (published) checkNotBehind(writerId, checkpoint, published)
    await queue.createTopics(resolved.map(({ name, partitions }) => ({ name, partitions })))
    const start = published ? checkpoint : continueAfter(await readPublishedEnds(queue, names), checkpoint)
    await registerTopics(queue, registrations, { lastUnit: start?.unit ?? 0 })
    if (start !== checkpoint)
      log.warn({ writerId, unit: start?.unit }, 'publishing again after records that the checkpoint does not know')
    return { writer, checkpoint: start, topics }
  } catch (error) {
    await writer.close()
    throw error
  }
}

/** An abort resolves it with `undefined` at once, because a queue that does not answer can take minutes. */
export async function startUnlessAborted(options: RunOptions): Promise<StartedRun | undefined> {
  const { signal } = options
  if (signal.aborted) return undefined
  const starting = startRun(options)
  const run = await unlessAborted(starting, signal)
  if (!run) starting.then(({ writer }) => writer.close()).catch(() => {})
  return run
}
