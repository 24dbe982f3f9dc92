export interface TopicNameParts {
  readonly owner: string
  readonly package: string
  /** `<major>.<minor>.<patch>` */
  readonly topicVersion: string
  /** `<contract>_<EventName>` */
  readonly name: string
}

/** `<owner>.<package>.<major>_<minor>_<patch>.<contract>_<EventName>` */
export function formatTopicName(parts: TopicNameParts): string {
  return `${formatLineage(parts)}.${parts.name}`
}

/** `<owner>.<package>.<major>_<minor>_<patch>` */
export function formatLineage(parts: Omit<TopicNameParts, 'name'>): string {
  return `${parts.owner}.${parts.package}.${parts.topicVersion.replaceAll('.', '_')}`
}

/** Why a name is not allowed for a data topic. Any producer needs a version segment and `<contract>_<EventName>`. */
export function checkTopicName(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (name.length > 249) return `it has ${name.length} characters, and at most 249 are allowed`
  const strange = /[^A-Za-z0-9._-]/u.exec(name)
  if (strange) return `it holds ${JSON.stringify(strange[0])}, but only letters, digits, ".", "_" and "-" are allowed`
  if (isSystemTopic(name)) return 'names that begin with "_headrace." are reserved'
  const segments = name.split('.')
  if (segments.includes('')) return 'it has an empty segment'
  if (!segments.slice(0, -1).some(isVersionSegment))
    return 'a segment before the last must be a version such as "1_0_0"'
  if (!lastSegment.test(segments.at(-1)!))
    return `its last segment "${segments.at(-1)}" must have the form <contract>_<EventName>`
  return undefined
}

export function isSystemTopic(name: string): boolean {
  return name.startsWith('_headrace.')
}

export function isVersionSegment(segment: string): boolean {
  return versionSegment.test(segment)
}

const versionSegment = /^(0|[1-9]\d*)_(0|[1-9]\d*)_(0|[1-9]\d*)$/
const lastSegment = /^[A-Za-z0-9-].*_[A-Za-z0-9-]+$/
