export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  /** Absolute path. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  readonly message: string
}

export const problemCodes = [
  'manifest_not_found',
  'manifest_syntax',
  'missing_field',
  'unknown_field',
  'invalid_field',
  'proto_not_found',
  'proto_syntax',
  'proto_invalid',
  'unknown_message',
  'invalid_topic',
  'invalid_topic_name',
  'invalid_config',
  'incompatible_schema',
  'topic_not_published',
] as const

export type ProblemCode = (typeof problemCodes)[number]

export function formatProblem({ file, line, column, severity, message }: Problem): string {
  return `${file}:${line}:${column}: ${severity}: ${message}`
}
