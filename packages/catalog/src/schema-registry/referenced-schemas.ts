import type { SchemaAnswer, SchemaReference } from './registered-schema.ts'

const schemaLimit = 500

/**
 * The texts of all schemas that a schema refers to, at any depth, by the name of the reference, dependencies first. Reads
 * each once.
 *
 * @param invalid - Makes the error for references that are circular, too many, or two schemas with one name.
 */
export async function readReferenced(
  schema: SchemaAnswer,
  read: (reference: SchemaReference) => Promise<SchemaAnswer>,
  invalid: (found: string) => Error,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const places = new Map<string, string>()
  await add(schema, [])
  return texts

  async function add({ references, type }: SchemaAnswer, path: readonly string[]): Promise<void> {
    for (const reference of references) {
      const { name, subject, version } = reference
      const place = `${subject} version ${version}`
      if (path.includes(place)) throw invalid(`its references are circular: ${[...path, place].join(', then ')}`)
      const known = places.get(name)
      if (known === place) continue
      if (known !== undefined) throw invalid(`its references name both ${known} and ${place} "${name}"`)
      if (places.size === schemaLimit) throw invalid(`it refers to more than ${schemaLimit} schemas`)
      places.set(name, place)
      const referenced = await read(reference)
      if (referenced.type !== type) throw invalid(`it is of type ${type}, and refers to ${place} of ${referenced.type}`)
      await add(referenced, [...path, place])
      texts.set(name, referenced.text)
    }
  }
}
