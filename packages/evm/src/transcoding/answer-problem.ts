/** An answer lacks receipts, or contradicts the block, which may itself be wrong. */
export type ProblemKind = 'invalid' | 'lacking' | 'contradicting'

/**
 * Why an answer is refused. Encoders that run in a thread have no other error: those of the package load the whole SDK.
 */
export class AnswerProblem extends Error {
  /** What the answer is for. */
  readonly subject: string
  readonly difference: string
  readonly kind: ProblemKind

  constructor(subject: string, difference: string, kind: ProblemKind = 'invalid') {
    super(difference)
    this.subject = subject
    this.difference = difference
    this.kind = kind
  }
}
