import { LineCounter } from 'yaml'

/** The fields of its place are repeated, so that the reference of the SDK shows them. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly file: string
  readonly line: number
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

/** From 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface FilePlace extends Place {
  /** Absolute path. */
  readonly file: string
}

export function createPlaces(text: string): (offset: number) => Place {
  const counter = new LineCounter()
  counter.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) counter.addNewLine(at + 1)
  return (offset) => {
    const { line, col } = counter.linePos(offset)
    return { line, column: col }
  }
}
