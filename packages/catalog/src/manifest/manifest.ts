/** A connector's `manifest.yaml` with its defaults filled in. */
export interface Manifest {
  readonly package: string
  readonly owner: string
  /** `<major>.<minor>.<patch>`: the connector's version. */
  readonly version: string
  /** `<major>.<minor>.<patch>`: the version in the topic names. */
  readonly topicVersion: string
  /** Whether the file says which topicVersion it means; else it is the version. */
  readonly declaresTopicVersion: boolean
  /** Tells the project apart from others of the same owner and package. */
  readonly id?: string
  readonly title?: string
  readonly description?: string
  readonly author?: string
  readonly license?: string
  readonly homepage?: string
  /** Absolute paths of the .proto files. */
  readonly proto: readonly string[]
  /** A module, as it is written in the file, or a command that speaks the child process protocol. */
  readonly run?: string | { readonly command: readonly string[] }
  readonly topics: readonly ManifestTopic[]
  /** JSON Schema of the settings. */
  readonly config: SettingsSchema
}

export interface ManifestTopic {
  /** Full name of the message. */
  readonly message: string
  /** `<contract>_<EventName>`; may hold settings as `{name}`. */
  readonly name: string
  /** The field that becomes the record key. */
  readonly key?: string
  /** The field that becomes the record time. */
  readonly time?: string
  /** How `bytes` fields read in JSON. */
  readonly bytes: 'hex' | 'base64'
  /** The setting that says whether the topic is written. Without it: always. */
  readonly when?: string
  /** 1–64. */
  readonly partitions: number
  /** `forever`, a time such as `30d`, or a size such as `10GiB`. */
  readonly retention: string
}

/** The part of a JSON Schema that this package looks into. */
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

/** The defaults of settings by name; `undefined` for one that has none. */
export function settingDefaults({ properties = {} }: SettingsSchema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.default]))
}

/** The environment variable of a setting: `pollSeconds` is `CONNECTOR_POLL_SECONDS`. */
export function settingVariable(name: string): string {
  return `CONNECTOR_${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}`
}
