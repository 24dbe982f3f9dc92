export interface Rate {
  readonly perSecond: number
  readonly seconds: number
}

export interface ConnectorName {
  readonly owner: string
  readonly package: string
  readonly version: string
  readonly title?: string
}

export interface TopicSummary {
  readonly topic: string
  readonly connector: ConnectorName
  readonly instance?: string
  readonly message: string
  readonly key?: string
  readonly time?: string
  readonly bytes: 'hex' | 'base64'
  readonly partitions: number
  readonly successor?: string
  readonly records?: number | null
  readonly newest?: { readonly time: string; readonly unit: string | null } | null
  readonly rate?: Rate & { readonly records: readonly number[] }
  readonly retention?: { readonly ms: number | null; readonly bytes: number | null }
}

export interface JsonSchema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly contentEncoding?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
}

export interface Topic extends TopicSummary {
  readonly bounds: readonly { readonly partition: number; readonly earliest: string; readonly end: string }[]
  readonly earliestCursor: string
  readonly headCursor: string
  readonly proto: string
  /** A `google.protobuf.FileDescriptorSet`, in base64. */
  readonly descriptors: string
  readonly jsonSchema: JsonSchema
}

export interface ConnectorState {
  readonly connector: ConnectorName
  readonly instance: string
  readonly topics: readonly string[]
  readonly unit: string | null
  readonly position: unknown
  readonly final: { readonly unit: string } | null
  readonly lastCommit: string | null
  readonly source: { readonly position: number; readonly head: number; readonly lag: number } | null
  readonly endpoints: readonly { readonly endpoint: string; readonly up: boolean }[]
  readonly rate: Rate & { readonly units: readonly number[] }
  readonly reorganisations: readonly {
    readonly time: string
    readonly topic: string
    readonly partition: number
    readonly first: string
    readonly last: string
  }[]
}
