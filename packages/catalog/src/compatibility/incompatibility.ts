/** Named for the change that breaks readers. */
export const incompatibilityRules = [
  'message_changed',
  'message_removed',
  'field_removed',
  'field_renumbered',
  'field_renamed',
  'number_reused',
  'type_changed',
  'cardinality_changed',
  'oneof_changed',
  'reservation_removed',
  'enum_value_removed',
  'enum_value_renumbered',
  'enum_value_renamed',
  'key_changed',
  'time_changed',
  'bytes_changed',
  'partitions_changed',
  'topic_removed',
] as const

export type IncompatibilityRule = (typeof incompatibilityRules)[number]

export interface Incompatibility {
  readonly rule: IncompatibilityRule
  /** What it was and is, which readers break and how, and the remedies. */
  readonly message: string
  readonly at: IncompatibilityPlace
}

export type IncompatibilityPlace =
  | { readonly declaration: string }
  | { readonly setting: 'message' | 'key' | 'time' | 'bytes' | 'partitions' }

export type ReportChange = (rule: IncompatibilityRule, declaration: string, message: string) => void

export const newVersionRemedy =
  'Or set "topicVersion" to a new version, which starts new topics and keeps the old ones.'
