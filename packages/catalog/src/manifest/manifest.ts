import { type Compression, UserError } from '@headrace/queue'
import { type FilePlace, formatProblem, type Problem } from '../problem.ts'
import type { SchemaSet } from '../schema/schema-set.ts'

/** With defaults filled in. */
export interface Manifest {
  readonly package: string
  readonly owner: string
  /** `<major>.<minor>.<patch>` */
  readonly version: string
  /** `<major>.<minor>.<patch>`, in the topic names. */
  readonly topicVersion: string
  readonly declaresTopicVersion: boolean
  readonly id?: string
  readonly title?: string
  readonly description?: string
  readonly author?: string
  readonly license?: string
  readonly homepage?: string
  /** Absolute paths. */
  readonly proto: readonly string[]
  /** A module, or a command that speaks the child process protocol. */
  readonly run?: string | { readonly command: readonly string[] }
  readonly topics: readonly ManifestTopic[]
  readonly config: SettingsSchema
}

export interface ManifestTopic {
  /** Full name of the message. */
  readonly message: string
  /** `<contract>_<EventName>`, with settings as `{name}`. */
  readonly name: string
  readonly key?: string
  readonly time?: string
  readonly bytes: 'hex' | 'base64'
  /** The boolean setting that enables the topic. */
  readonly when?: string
  /** 1–64. */
  readonly partitions: number
  /** `forever`, or such as `30d` or `10GiB`. */
  readonly retention: string
  /** Of batches. Default: on Kafka that of the settings of the queue, in an embedded queue `none`. */
  readonly compression?: Compression
}

export interface SettingsSchema {
  readonly properties?: Readonly<Record<string, SettingSchema>>
  readonly [keyword: string]: unknown
}

export interface SettingSchema {
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly pattern?: string
  readonly writeOnly?: boolean
  readonly [keyword: string]: unknown
}

export function settingDefaults({ properties = {} }: SettingsSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.default]))
}

/** `pollSeconds` → `CONNECTOR_POLL_SECONDS` */
export function settingVariable(name: string): string {
  return `CONNECTOR_${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}`
}

export interface Project {
  /** Absolute path. */
  readonly dir: string
  readonly manifest: Manifest
  readonly schema: SchemaSet
  /** `<owner>.<package>.<major>_<minor>_<patch>` */
  readonly lineage: string
  /** Place of the topic of a message, or of a field of it; by default of `topics`. */
  topicPlace(message?: string, field?: string): FilePlace
}

export class InvalidProjectError extends UserError {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super('invalid_manifest', problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}
