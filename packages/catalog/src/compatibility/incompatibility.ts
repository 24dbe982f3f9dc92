/** Every rule that topics of one lineage keep, by what breaks it. */
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

/** A change that readers of a topic would notice, in the records to come or in the stored ones. */
export interface Incompatibility {
  readonly rule: IncompatibilityRule
  /** What was, what is, which readers that breaks and how, and the ways out. */
  readonly message: string
  /** What of the new form it is about. */
  readonly at: IncompatibilityPlace
}

/** The full name of a message, enum, field or enum value, or a setting of the topic in the manifest. */
export type IncompatibilityPlace =
  | { readonly declaration: string }
  | { readonly setting: 'message' | 'key' | 'time' | 'bytes' | 'partitions' }

/** Takes an incompatibility of a schema: its rule, the full name it is about, and its sentences. */
export type ReportChange = (rule: IncompatibilityRule, declaration: string, message: string) => void

/** The way out of every incompatibility: readers of the old topics keep what they have. */
export const beginAnew = 'Or give "topicVersion" a new number: the topics begin anew, and the old ones stay.'
