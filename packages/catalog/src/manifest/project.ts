import { UserError } from '@headrace/queue'
import { formatProblem, type Problem } from '../problem.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { Manifest } from './manifest.ts'

/** A connector's folder, read and found right. */
export interface Project {
  /** Absolute path. */
  readonly dir: string
  readonly manifest: Manifest
  readonly schema: SchemaSet
  /** `<owner>.<package>.<major>_<minor>_<patch>` */
  readonly lineage: string
}

/** A project has mistakes. The message holds each on a line of its own. */
export class InvalidProjectError extends UserError {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super('invalid_manifest', problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}
