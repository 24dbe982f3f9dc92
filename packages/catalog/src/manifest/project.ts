import { UserError } from '@headrace/queue'
import { formatProblem, type Problem } from '../problem.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { FilePlace } from '../source-places.ts'
import type { Manifest } from './manifest.ts'

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
