import { type Queue, type TopicDescription, UserError } from '@headrace/queue'
import { compareTopics } from '../compatibility/compare-topics.ts'
import { newVersionRemedy } from '../compatibility/incompatibility.ts'
import { readRegistry } from '../registry/registration.ts'
import { isSystemTopic } from '../topic-name/topic-name.ts'
import { type Adoption, readAdoptions } from './adoption.ts'
import { adoptionRefused } from './describe-adoption.ts'

/** As many as a cursor can name. */
const partitionLimit = 64

/**
 * Whether a topic that exists can be adopted.
 *
 * @throws {UserError} `adoption_refused`: it has too many partitions, or belongs to a connector or to the queue itself.
 */
export async function checkAdoptable(queue: Queue, { name, partitions }: TopicDescription): Promise<void> {
  if (isSystemTopic(name)) throw adoptionRefused(`"${name}" is a topic of the queue itself. Adopt another one.`)
  if (partitions.length > partitionLimit)
    throw adoptionRefused(
      `Topic "${name}" has ${partitions.length} partitions. Topics with at most ${partitionLimit} can be served.`,
    )
  const registration = (await readRegistry(queue)).get(name)
  if (registration)
    throw adoptionRefused(
      `Topic "${name}" belongs to the connector "${registration.lineage}", whose readers would lose their numbers. It is ` +
        'served without being adopted.',
    )
}

/**
 * Whether readers can follow from the present adoption of a topic to another one: only protobuf messages of the rules for
 * connectors can be compared.
 *
 * @throws {UserError} `adoption_refused`: it has another format. `incompatible_schema`
 */
export async function checkAdoptedAgain(queue: Queue, after: Adoption): Promise<void> {
  const { topic } = after
  const before = (await readAdoptions(queue)).get(topic)
  if (!before) return
  if (before.format !== after.format)
    throw adoptionRefused(
      `Topic "${topic}" is adopted as ${before.format}, and would become ${after.format}. To start again, remove the ` +
        'adoption first.',
    )
  if (before.format !== 'protobuf') return
  const changes = compareTopics(formOf(before), formOf(after))
  if (changes.length === 0) return
  throw new UserError(
    'incompatible_schema',
    `Topic "${topic}" has readers, and would change in a way that breaks them. To start again, remove the adoption ` +
      `first.\n${changes.map(({ message }) => `  - ${message.replace(newVersionRemedy, '').trim()}`).join('\n')}`,
  )
}

function formOf({ topic, message, descriptors, bytes }: Adoption): Parameters<typeof compareTopics>[0] {
  return { topic, message: message!, descriptors: descriptors!, bytes, partitions: 1 }
}
