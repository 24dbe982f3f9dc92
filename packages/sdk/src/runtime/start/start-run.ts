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
 * @throws {UserError} `schema_mismatch`, `registration_refused`, `incompatible_schema`, `topic_mismatch`
 * @throws {FencedError}
 */
export async function startRun(options: RunOptions): Promise<StartedRun> {
  const { connector, project, settings, queue, signal } = options
  const { instance, writerId, topics: resolved } = resolveTopics(project, settings, options.instance)
  const topics = messageTopics(connector.schema, project, resolved)
  const registrations = topicRegistrations(project, instance, resolved)
  const newTopics = options.newTopics === true || project.manifest.declaresTopicVersion

  await createSystemTopics(queue)
  await checkTopics(queue, registrations, { newTopics, places: project.schema.places })
  // Opening fences the run before: not in the name of a run that was stopped meanwhile.
  signal.throwIfAborted()
  const { writer, checkpoint } = await openRunWriter(queue, writerId)
  try {
    await queue.createTopics(resolved.map(({ name, partitions }) => ({ name, partitions })))
    await registerTopics(queue, registrations)
  } catch (error) {
    await writer.close()
    throw error
  }
  return { writer, checkpoint, topics }
}
