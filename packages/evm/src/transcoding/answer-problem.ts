/**
 * Why an answer is refused. Encoders that run in a thread have no other error: those of the package load the whole SDK.
 */
export class AnswerProblem extends Error {
  /** What the answer is for. */
  readonly subject: string
  readonly difference: string
  /** Whether the answer contradicts the block, which may itself be wrong. */
  readonly contradicts: boolean

  constructor(subject: string, difference: string, contradicts = false) {
    super(difference)
    this.subject = subject
    this.difference = difference
    this.contradicts = contradicts
  }
}
