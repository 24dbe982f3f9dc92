import type { QueueRecord } from '@headrace/queue'

/** A compiled filter of one topic. */
export interface RecordFilter {
  /** In a normal form: equal for filters that differ only in white space, quotes, escapes, comments or parentheses. */
  readonly text: string
  /**
   * Never throws. What cannot be read is an error, as in CEL: the filter matches only if its other conditions decide
   * that. So no condition on the fields of a value holds for a value that is not a message of the schema.
   */
  matches(record: QueueRecord): boolean
}
