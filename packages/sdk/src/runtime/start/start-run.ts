import {
  type Checkpoint,
  checkTopics,
  createSystemTopics,
  registerTopics,
  resolveTopics,
  topicRegistrations,
} from '@headrace/catalog'
import type { RunOptions } from '../run-options.ts'
import { type MessageTopic, messageTopics } from './message-topic.ts'
import { checkBeforeOpening, checkNotBehind, continueAfter, readPublished } from './published.ts'
import { openRunWriter, type RunWriter } from './run-writer.ts'

/** A run that owns its topics. */
export interface StartedRun {
  readonly writer: RunWriter
  /** What was committed last by the runs before; `undefined` at the first one. */
  readonly checkpoint: Checkpoint | undefined
  /** By short message name. */
  readonly topics: ReadonlyMap<string, MessageTopic>
}

/**
 * Makes a run the owner of its topics. The order is the point of it: a run that is refused has fenced nobody, and the
 * checkpoint is read when no earlier run can move it any more.
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
  const published = publishAgain ? undefined : await readPublished(queue, names)
  if (published) await checkBeforeOpening(queue, writerId, published)
  // Opening fences the run before: not in the name of a run that is to stop.
  signal.throwIfAborted()
  const { writer, checkpoint } = await openRunWriter(queue, writerId)
  try {
    if (published) checkNotBehind(writerId, checkpoint, published)
    await queue.createTopics(resolved.map(({ name, partitions }) => ({ name, partitions })))
    const start = published ? checkpoint : continueAfter(await readPublished(queue, names), checkpoint)
    await registerTopics(queue, registrations, { lastUnit: start?.unit ?? 0 })
    if (start !== checkpoint) log.warn({ writerId, unit: start?.unit }, 'what is published is published again after it')
    return { writer, checkpoint: start, topics }
  } catch (error) {
    await writer.close()
    throw error
  }
}
