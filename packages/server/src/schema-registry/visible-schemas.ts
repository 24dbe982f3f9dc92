import {
  type FileSchema,
  type FollowedRegistry,
  schemaVersions,
  type TopicRegistration,
  topicSchema,
  valueSubject,
} from '@headrace/catalog'

/** What a caller may see, as a schema registry lists it. */
export interface VisibleSchemas {
  /** In order of name. The index in the list is the version less 1. `undefined`: the schema cannot be read. */
  readonly subjects: ReadonlyMap<string, readonly (FileSchema | undefined)[]>
  readonly byGuid: ReadonlyMap<string, FileSchema>
}

export interface SubjectVersion {
  readonly subject: string
  readonly version: number
}

/** @param registrations - Of the topics that the caller may read. */
export function visibleSchemas(
  registrations: readonly TopicRegistration[],
  earlier: FollowedRegistry['earlierSchemas'],
): VisibleSchemas {
  const subjects = new Map<string, readonly (FileSchema | undefined)[]>()
  const byGuid = new Map<string, FileSchema>()
  for (const registration of registrations) {
    const versions = versionsOf(registration, earlier)
    if (versions.length > 0) subjects.set(valueSubject(registration.topic), versions)
    for (const schema of versions) if (schema) add(schema)
  }
  return { subjects: new Map([...subjects].sort(([one], [other]) => (one < other ? -1 : 1))), byGuid }

  function add(schema: FileSchema): void {
    if (byGuid.has(schema.guid)) return
    byGuid.set(schema.guid, schema)
    for (const [index, { subject }] of schema.references.entries()) {
      subjects.set(subject, [schema.imports[index]])
      add(schema.imports[index]!)
    }
  }
}

/** Empty if the registered schema lacks the message of the topic, which is not served then. */
function versionsOf(
  registration: TopicRegistration,
  earlier: FollowedRegistry['earlierSchemas'],
): (FileSchema | undefined)[] {
  try {
    const current = topicSchema(registration)
    return schemaVersions(registration).map((guid) => {
      const before = guid === current.guid ? undefined : earlier.get(guid)
      return before ? topicSchema(before) : guid === current.guid ? current : undefined
    })
  } catch {
    return []
  }
}

export function versionsWith({ subjects }: VisibleSchemas, { guid }: FileSchema): SubjectVersion[] {
  return [...subjects].flatMap(([subject, versions]) => {
    const index = versions.findIndex((schema) => schema?.guid === guid)
    return index < 0 ? [] : [{ subject, version: index + 1 }]
  })
}

/** Of several schemas with this id, one of the subject. */
export function schemaWithId(visible: VisibleSchemas, id: number, subject: string | undefined): FileSchema | undefined {
  const found = [...visible.byGuid.values()].filter((schema) => schema.id === id)
  const ofSubject = (schema: FileSchema) => versionsWith(visible, schema).some((one) => one.subject === subject)
  return found.find(ofSubject) ?? found.sort((one, other) => (one.guid < other.guid ? -1 : 1))[0]
}
