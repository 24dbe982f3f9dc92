import { UserError } from '@headrace/queue'
import type { FilePlace } from '../source-places.ts'
import { compareTopics, type TopicForm } from './compare-topics.ts'
import type { Incompatibility } from './incompatibility.ts'

/**
 * Checks whether a topic may go on in another form, as the start of a run and a registration do.
 *
 * @param places - Where the new form is declared, if it comes from files.
 * @throws {UserError} `incompatible_schema`: it may not. The message lists every change that breaks readers.
 */
export function checkCompatibility(before: TopicForm, after: TopicForm, places?: ReadonlyMap<string, FilePlace>): void {
  const changes = compareTopics(before, after)
  if (changes.length === 0) return
  throw new UserError(
    'incompatible_schema',
    `Topic "${before.topic}" has records and readers, and would change in a way that breaks them:\n` +
      changes.map((change) => `  - ${placeOf(change, places)}${change.message}`).join('\n'),
  )
}

function placeOf({ at }: Incompatibility, places: ReadonlyMap<string, FilePlace> | undefined): string {
  const place = 'declaration' in at ? places?.get(at.declaration) : undefined
  return place ? `${place.file}:${place.line}:${place.column}: ` : ''
}
