/** A connector's `manifest.yaml` with its defaults filled in. */
export interface Manifest {
  readonly package: string
  readonly owner: string
  /** `<major>.<minor>.<patch>` */
  readonly version: string
  /** Version in the topic names: `<major>.<minor>.<patch>`. */
  readonly topicVersion: string
  /** Whether the file has a `topicVersion`. */
  readonly declaresTopicVersion: boolean
  /** Distinguishes projects with the same owner and package. */
  readonly id?: string
  readonly title?: string
  readonly description?: string
  readonly author?: string
  readonly license?: string
  readonly homepage?: string
  /** Absolute paths of the .proto files. */
  readonly proto: readonly string[]
  /** Path of a module as in the file, or a command that speaks the child process protocol. */
  readonly run?: string | { readonly command: readonly string[] }
  readonly topics: readonly ManifestTopic[]
  readonly config: SettingsSchema
}

export interface ManifestTopic {
  /** Full name of the message. */
  readonly message: string
  /** `<contract>_<EventName>`; may contain settings as `{name}`. */
  readonly name: string
  readonly key?: string
  readonly time?: string
  /** How `bytes` fields are written in JSON. */
  readonly bytes: 'hex' | 'base64'
  /** The boolean setting that enables the topic. Default: always enabled. */
  readonly when?: string
  /** 1–64. */
  readonly partitions: number
  /** `forever`, a time such as `30d`, or a size such as `10GiB`. */
  readonly retention: string
}

/** The part of a JSON Schema that this package uses. */
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

/** The environment variable of a setting: `pollSeconds` is `CONNECTOR_POLL_SECONDS`. */
export function settingVariable(name: string): string {
  return `CONNECTOR_${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}`
}
