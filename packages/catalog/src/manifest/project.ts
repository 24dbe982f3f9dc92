import { UserError } from '@headrace/queue'
import { formatProblem, type Problem } from '../problem.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { FilePlace } from '../source-places.ts'
import type { Manifest } from './manifest.ts'

/** A connector's folder, read and found right. */
export interface Project {
  /** Absolute path. */
  readonly dir: string
  readonly manifest: Manifest
  readonly schema: SchemaSet
  /** `<owner>.<package>.<major>_<minor>_<patch>` */
  readonly lineage: string
  /**
   * Where the manifest speaks of the topic of a message, or of one of its fields; of `topics` as a whole without a message.
   */
  topicPlace(message?: string, field?: string): FilePlace
}

/** A project has mistakes. The message holds each on a line of its own. */
export class InvalidProjectError extends UserError {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super('invalid_manifest', problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}
