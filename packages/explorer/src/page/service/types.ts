import type { Topic as ClientTopic } from '@headrace/client'

export type { ConnectorState, TopicSummary, Usage } from '@headrace/client'

export interface Topic extends Omit<ClientTopic, 'jsonSchema'> {
  readonly jsonSchema: JsonSchema
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
